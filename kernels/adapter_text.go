package kernels

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

// AdapterText is what the compiler makes of an adapter with the headers of one side, before it compiles.
type AdapterText struct {
	// Defines are the functions of perfgate.h that the adapter's lines define.
	Defines []string

	adapter string            // its name
	files   map[string]string // text by file, macros expanded: of the adapter, perfgate.h and whatever else names functions of perfgate.h
	macros  map[string]macro  // that headers define and the adapter or perfgate.h use

	included map[string]bool // files of which a compiler has read lines, links followed
}

func newAdapterText(s BuildSpec) AdapterText {
	return AdapterText{adapter: s.Adapter, files: map[string]string{}, macros: map[string]macro{}, included: map[string]bool{}}
}

type macro struct{ file, text string }

// AdapterText preprocesses the adapter of a side. The fault of the code is a *BuildError.
func (b *Builder) AdapterText(ctx context.Context, s BuildSpec) (AdapterText, error) {
	t := newAdapterText(s)
	if err := b.Compiler.check(b.Target); err != nil {
		return t, err
	}
	if err := s.checkSources(); err != nil {
		return t, err
	}
	leave, err := b.enter(&s)
	if err != nil {
		return t, err
	}
	defer leave()
	stage, err := b.stageAdapter(s)
	if err != nil {
		return t, err
	}
	out, err := os.MkdirTemp(b.Scratch, "inputs-")
	if err != nil {
		return t, fmt.Errorf("make a folder for preprocessing: %w", err)
	}
	defer os.RemoveAll(out)
	units := s.units(stage)
	for _, pass := range b.passes(s) {
		if err := b.readPass(ctx, &t, pass, s, units[0], stage, out); err != nil {
			return t, s.blame(err, units)
		}
	}
	return t, nil
}

// Includes lists the files of the side that its adapter includes, directly or not, without perfgate's own header; slash-separated, in order and
// relative to the side's tree. It costs preprocessing. The fault of the code is a *BuildError.
func (b *Builder) Includes(ctx context.Context, s BuildSpec) ([]string, error) {
	s.Sources = nil
	text, err := b.AdapterText(ctx, s)
	if err != nil {
		return nil, err
	}
	root, tree, err := s.realFolders()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, file := range slices.Sorted(maps.Keys(text.included)) {
		name, err := filepath.Rel(tree, file)
		if err == nil && within(root, file) && filepath.Base(file) != "perfgate.h" {
			files = append(files, filepath.ToSlash(name))
		}
	}
	return files, nil
}

// mostPreprocessed bounds the text of an adapter with all that it includes.
const mostPreprocessed = 512 << 20

// pass is one way in which a compiler reads a file.
type pass struct {
	flags    []string
	optional bool // a compiler may refuse it, then for both sides
}

// passes are the host's and the device's: nvcc reads CUDA once for each, and -E shows the host's. Macro definitions are kept in the
// text where the compiler is known to keep them.
func (b *Builder) passes(s BuildSpec) []pass {
	if !b.Target.IsCUDA() {
		return []pass{{flags: []string{"-dD"}}}
	}
	all := []pass{{}}
	if filepath.Ext(s.Adapter) == ".cu" {
		number := strings.TrimRight(strings.TrimPrefix(b.Target.Arch, "sm_"), "af")
		all = append(all, pass{flags: []string{"-D__CUDA_ARCH__=" + number + "0"}, optional: true})
	}
	return all
}

func (b *Builder) readPass(ctx context.Context, t *AdapterText, p pass, s BuildSpec, u unit, stage, out string) error {
	to := filepath.Join(out, "adapter.i")
	args := slices.Concat(b.flags(s, u, stage), p.flags, []string{"-E", u.path, "-o", to})
	if _, err := runCompiler(ctx, b.compiler(s, out, args), u.name); err != nil {
		if p.optional && ctx.Err() == nil {
			t.files[s.Adapter] += "\n" // as it is where the other side's is refused too
			return nil
		}
		return err
	}
	text, err := untrusted.Read(to, mostPreprocessed)
	if err != nil {
		return fmt.Errorf("read the preprocessed adapter: %w", err)
	}
	names := map[string]string{u.path: s.Adapter, filepath.Join(stage, "perfgate.h"): "perfgate.h", "/perfgate/" + filepath.Base(u.path): s.Adapter, "/perfgate/perfgate.h": "perfgate.h"}
	files, macros := byFile(string(text), names)
	if _, ok := files[s.Adapter]; !ok {
		return s.refused("the compiler does not say which preprocessed lines are those of %s, as with -P among the flags", s.Adapter)
	}
	for file := range files {
		if file == s.Adapter || file == "perfgate.h" { // perfgate's copies
			continue
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(s.Tree, file)
		}
		if real, err := filepath.EvalSymlinks(file); err == nil {
			t.included[real] = true
		}
	}
	return t.take(files, macros, u.path)
}

// take keeps what of a pass is the adapter's, and what else has a say about functions of perfgate.h.
func (t *AdapterText) take(files map[string]string, macros map[string]macro, path string) error {
	source, err := untrusted.Read(path, mostText)
	if err != nil {
		return fmt.Errorf("read the adapter: %w", err)
	}
	used := words(string(source) + " " + string(Header()))
	for name, m := range macros {
		if used[name] && m.file != t.adapter && m.file != "perfgate.h" {
			t.macros[name] = m
		}
	}
	for file, text := range files {
		if file == t.adapter || file == "perfgate.h" || namesEntry(text) != "" {
			t.files[file] += text + "\n"
		}
	}
	for _, m := range definedEntry().FindAllStringSubmatch(files[t.adapter], -1) {
		if !slices.Contains(t.Defines, m[1]) {
			t.Defines = append(t.Defines, m[1])
		}
	}
	return nil
}

// Differs says how another side's headers change what the adapter says, or "".
func (t AdapterText) Differs(head AdapterText) string {
	var files []string
	for _, file := range slices.Sorted(maps.Keys(union(t.files, head.files))) {
		if t.files[file] != head.files[file] {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(union(t.macros, head.macros))) {
		if was, is := t.macros[name], head.macros[name]; was.text != is.text {
			if is.file == "" {
				return fmt.Sprintf("%s no longer defines %s, which %s uses", was.file, name, t.adapter)
			}
			return fmt.Sprintf("%s defines %s, which changes what %s says", is.file, name, t.adapter)
		}
	}
	for _, file := range files {
		if file != t.adapter && file != "perfgate.h" {
			entry := namesEntry(head.files[file] + t.files[file])
			return fmt.Sprintf("%s, which %s includes, has a say about %s and differs", file, t.adapter, entry)
		}
	}
	return fmt.Sprintf("head's headers change what %s says", files[0])
}

func union[V any](a, b map[string]V) map[string]V {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

var (
	lineMarker = text.Pattern(`^#\s*(?:line\s+)?\d+\s+"((?:[^"\\]|\\.)*)"`)
	definition = text.Pattern(`^#\s*(define|undef)\s+(\w+)`)
	word       = text.Pattern(`\w+`)
)

// byFile splits preprocessed text by the files that its lines are from, blanks evened out, with the last definitions of macros.
// Files get the names that names has for them.
func byFile(text string, names map[string]string) (files map[string]string, macros map[string]macro) {
	parts := map[string]*strings.Builder{}
	macros = map[string]macro{}
	current := ""
	for line := range strings.Lines(text) {
		if m := lineMarker().FindStringSubmatch(line); m != nil {
			path, err := strconv.Unquote(`"` + m[1] + `"`)
			if err != nil {
				path = m[1]
			}
			if name, ok := names[path]; ok {
				path = name
			} else {
				path = filepath.Clean(path)
			}
			current = path
			if parts[current] == nil {
				parts[current] = &strings.Builder{}
			}
			continue
		}
		if m := definition().FindStringSubmatch(line); m != nil {
			macros[m[2]] = macro{current, strings.Join(strings.Fields(line), " ")}
			continue
		}
		for _, field := range strings.Fields(line) {
			if parts[current] == nil {
				parts[current] = &strings.Builder{}
			}
			parts[current].WriteString(field + " ")
		}
	}
	files = map[string]string{}
	for file, part := range parts {
		files[file] = part.String()
	}
	return files, macros
}

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range word().FindAllString(text, -1) {
		all[w] = true
	}
	return all
}

var (
	escaped = text.Pattern(`\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3})`)
	joined  = text.Pattern(`"\s*"`)
)

// namesEntry is a name of perfgate.h that preprocessed text has, also in a string that is written in parts or with escapes, as that
// of an assembler label; or "".
func namesEntry(text string) string {
	text = escaped().ReplaceAllStringFunc(text, func(code string) string {
		digits, base := code[1:], 8
		if digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		value, _ := strconv.ParseUint(digits, base, 16)
		return string(rune(value & 0x7f))
	})
	return namedEntry().FindString(joined().ReplaceAllString(text, ""))
}

var namedEntry = text.Pattern(`\b(` + strings.Join(entryNames(), "|") + `)\b`)

var definedEntry = text.Pattern(`\b(` + strings.Join(entryNames(), "|") + `)\s*\([^;{}]*\)\s*\{`)
