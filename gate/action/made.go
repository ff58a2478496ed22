package action

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/text"
)

// moves finds what adapters and benchmarks are made of that differs between base and tip. Sources, and packages under test, are not policy.
type moves struct {
	change
	ctx     context.Context
	dir     string   // of the configuration
	changed []string // between base and tip, without the configuration and the adapters
	found   []string
}

// movedParts lists what of the adapters and benchmarks of a configuration, apart from the adapters themselves, has changed on the base branch.
func (c change) movedParts(ctx context.Context, in Inputs, then *config.Config) ([]string, error) {
	changed, err := c.Changed(ctx, c.base, c.tip)
	if err != nil {
		return nil, fmt.Errorf("what has changed on the base branch cannot be found out: %w", err)
	}
	m := &moves{change: c, ctx: ctx, dir: path.Dir(pathOf(in))}
	known := []string{pathOf(in)}
	for _, adapter := range basesAdapters(then, in.Kernels) {
		known = append(known, path.Join(m.dir, adapter))
	}
	m.changed = slices.DeleteFunc(changed, func(file string) bool { return slices.Contains(known, file) })
	if len(plan.Watched(then, relativeTo(m.dir, m.changed))) == 0 {
		return nil, nil
	}
	for _, k := range then.Kernels {
		if len(in.Kernels) > 0 && !slices.Contains(in.Kernels, k.Name) {
			continue
		}
		m.files(k)
		m.tools(k)
		if err := m.compiled(k); err != nil {
			return nil, err
		}
	}
	slices.Sort(m.found)
	return slices.Compact(m.found), nil
}

// moved notes files, each by its path in the repository.
func (m *moves) moved(what string, files ...string) {
	for _, file := range files {
		m.found = append(m.found, what+" "+file+": changed")
	}
}

// files notes those that a benchmark is made of, of which base's are used on both sides, and the cases that parity tries first.
func (m *moves) files(k config.Kernel) {
	for _, file := range m.changed {
		if matches(m.dir, k.Files, file) {
			m.moved("benchmark", file)
		}
		if k.HasAdapter() && file == path.Join(m.dir, parity.CorpusFile) {
			m.moved("corpus", file)
		}
	}
}

// configured are the files that tools read by themselves, where one starts a tool or builds by it.
var configured = []struct{ tools, files []string }{
	{strings.Fields("pytest py.test pytest-benchmark"), strings.Fields("conftest.py pytest.ini .pytest.ini pyproject.toml tox.ini setup.cfg")},
	{strings.Fields("cmake ctest"), strings.Fields("CMakeLists.txt CMakePresets.json CMakeUserPresets.json *.cmake")},
	{strings.Fields("make gmake"), strings.Fields("Makefile makefile GNUmakefile *.mk")},
	{strings.Fields("ninja"), strings.Fields("build.ninja *.ninja")},
	{strings.Fields("meson"), strings.Fields("meson.build meson.options meson_options.txt")},
	{strings.Fields("bazel bazelisk"), strings.Fields("BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel MODULE.bazel .bazelrc *.bzl")},
}

// tools notes the configuration of the tools that a kernel's commands start.
func (m *moves) tools(k config.Kernel) {
	words := commandWords(k)
	within := m.foldersOf(k, words)
	for _, file := range m.changed {
		if isConfigured(words, path.Base(file)) && within.has(file) {
			m.moved("configuration", file)
		}
	}
}

// commandWords are those of a kernel's commands, without quotes, and the format of its benchmark, which may be a tool's name.
func commandWords(k config.Kernel) []string {
	var texts []string
	for _, c := range k.Commands() {
		texts = append(texts, c.Line)
	}
	if format := k.Format(); format != nil {
		texts = append(texts, format.Traits().Name)
	}
	return strings.FieldsFunc(strings.Join(texts, "\n"), func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"=`", r) })
}

// isConfigured says whether one of the tools that commands start reads files of a name.
func isConfigured(words []string, name string) bool {
	return slices.ContainsFunc(configured, func(of struct{ tools, files []string }) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(of.tools, path.Base(word)) }) &&
			slices.ContainsFunc(of.files, func(pattern string) bool { ok, err := path.Match(pattern, name); return ok && err == nil })
	})
}

// folders are those in which, and above which, tools look for their configuration.
type folders struct {
	at    []string // and all around them
	below []string // with all that is in them
}

// foldersOf are those of a kernel: the configuration's, and those that its files, adapters and commands are in.
func (m *moves) foldersOf(k config.Kernel, words []string) folders {
	f := folders{at: []string{m.dir}}
	for _, pattern := range k.Files {
		fixed := pattern
		if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
			fixed = pattern[:i]
		}
		f.below = append(f.below, path.Join(m.dir, path.Dir(fixed+"x")))
	}
	for _, adapter := range k.Adapters() {
		f.at = append(f.at, path.Join(m.dir, path.Dir(adapter)))
	}
	for _, word := range words {
		if word = path.Clean(word); word != "." && !path.IsAbs(word) && !strings.HasPrefix(word, "-") {
			f.below = append(f.below, path.Join(m.dir, word))
			f.at = append(f.at, path.Join(m.dir, path.Dir(word)))
		}
	}
	return f
}

// has says whether a tool finds a file by itself. What the helpers of CMake are is kept in a folder of that name.
func (f folders) has(file string) bool {
	at := path.Dir(file)
	if path.Base(at) == "cmake" {
		at = path.Dir(at)
	}
	around := func(folder string) bool { return at == "." || folder == at || strings.HasPrefix(folder, at+"/") }
	return slices.ContainsFunc(slices.Concat(f.at, f.below), around) ||
		slices.ContainsFunc(f.below, func(folder string) bool { return folder == "." || strings.HasPrefix(at, folder+"/") })
}

// compiled notes what an adapter that perfgate compiles includes, and the files that its flags name, but for what the sources are made of. Where a
// command builds, the adapter is head's anyway; modules of an adapter in Python are packages under test.
func (m *moves) compiled(k config.Kernel) error {
	if k.Build != nil {
		return nil
	}
	var adapters, sources []string
	for _, adapter := range k.Adapters() {
		if !config.IsPython(adapter) {
			adapters = append(adapters, path.Join(m.dir, adapter))
		}
	}
	if len(adapters) == 0 {
		return nil
	}
	search, named := m.flags(k)
	parts, err := m.moving(m.ctx, m.madeOf(search, slices.Concat(adapters, named))...)
	if err != nil || len(parts) == 0 {
		return err
	}
	for _, source := range k.Sources {
		sources = append(sources, path.Join(m.dir, source))
	}
	under := m.madeOf(search, sources)
	m.moved("adapter's", slices.DeleteFunc(parts, func(file string) bool { return slices.Contains(adapters, file) || slices.Contains(under, file) })...)
	return nil
}

// mostRead bounds how many files are read to find out what an adapter is made of: each is a process. Beyond it, and where one cannot
// be read, an adapter may be made of every header that has changed.
const mostRead = 300

var headers = strings.Fields(".h .hh .hpp .hxx .cuh .inc .inl .ipp .tpp")

// includes are the lines that bring another file into a file of C or C++. A name that a macro makes is not seen.
var includes = text.Pattern(`(?m)^[ \t]*#[ \t]*(?:include|include_next|import|embed)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)`)

// madeOf are the places in the repository that files, themselves included, are made of in base, with those that only may be there: a file that
// comes to be there is found in the place of another.
func (m *moves) madeOf(search, roots []string) []string {
	seen, read := map[string]bool{}, 0
	for waiting := slices.Clone(roots); len(waiting) > 0 && read <= mostRead; waiting = waiting[1:] {
		file := waiting[0]
		if seen[file] {
			continue
		}
		seen[file] = true
		at, err := follow(m.ctx, m, m.base, file)
		if err != nil || at.Mode == "" || at.Mode == repo.ModeFolder || at.Mode == repo.ModeModule {
			continue // nothing that could be read here
		}
		text, err := m.Blob(m.ctx, at.SHA)
		if read++; read > mostRead || err != nil {
			for _, file := range m.changed {
				seen[file] = seen[file] || slices.Contains(headers, path.Ext(file))
			}
		}
		for _, name := range includes().FindAllStringSubmatch(string(text), -1) {
			waiting = append(waiting, places(name[1]+name[2], append(slices.Clip(search), path.Dir(file)))...)
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// places are where a name may be found from folders of the repository.
func places(name string, folders []string) []string {
	var out []string
	for _, folder := range folders {
		if at := path.Join(folder, name); !path.IsAbs(name) && filepath.IsLocal(at) {
			out = append(out, at)
		}
	}
	return out
}

// searched are options whose argument is a folder in which included files are looked for.
var searched = []string{"-iquote", "-isystem", "-idirafter", "-I"}

// flags are the folders in which a kernel's files look for others, and the files that flags name.
func (m *moves) flags(k config.Kernel) (search, named []string) {
	search = []string{m.dir}
	for _, adapter := range k.Adapters() {
		search = append(search, path.Join(m.dir, path.Dir(adapter)))
	}
	before := ""
	for _, flag := range k.Flags {
		i := slices.IndexFunc(searched, func(option string) bool { return strings.HasPrefix(flag, option) && flag != option })
		switch {
		case i >= 0:
			search = append(search, places(strings.TrimPrefix(flag, searched[i]), []string{m.dir})...)
		case slices.Contains(searched, before):
			search = append(search, places(flag, []string{m.dir})...)
		default:
			for _, part := range strings.FieldsFunc(flag, func(r rune) bool { return r == ',' || r == '=' }) {
				part = strings.TrimPrefix(strings.TrimPrefix(part, "@"), "-T")
				if !strings.HasPrefix(part, "-") && part != "" {
					named = append(named, places(part, []string{m.dir})...)
				}
			}
		}
		before = flag
	}
	return search, named
}
