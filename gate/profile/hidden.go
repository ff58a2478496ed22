package profile

import (
	"bytes"
	"debug/elf"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// hiddenFrom are the features of the processor that a tool does not show to what it runs.
func hiddenFrom(shown, machine []string) []string {
	return slices.DeleteFunc(slices.Clone(machine), func(f string) bool { return slices.Contains(shown, f) })
}

// objects are the files whose code callgrind saw: ob=(1) /path/of/lib.so.
var objects = regexp.MustCompile(`(?m)^c?ob=\([0-9]+\) (/.+)$`)

// dispatching is the first of the files whose code ran that asks the processor what it can do, of those that are not the system's own:
// what runs of it may differ from machine to machine, and under a tool. "" where none does.
func dispatching(library, counted string) string {
	files := []string{library}
	for _, m := range objects.FindAllStringSubmatch(counted, -1) {
		files = append(files, m[1])
	}
	for _, path := range files {
		if !systems.MatchString(filepath.Base(path)) && asksProcessor(path) {
			return path
		}
	}
	return ""
}

// systems are libraries that dispatch for themselves (memcpy, exp) and whose part in a kernel is none of its code, and valgrind's own.
var systems = regexp.MustCompile(`^(ld-linux.*|lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+)\.so.*|vgpreload_.*|harness.*)$`)

// cpuid is the instruction that asks, which is what __builtin_cpu_supports, ifuncs and the dispatch of libraries come down to.
var cpuid = []byte{0x0f, 0xa2}

// asksProcessor says whether the code of a file can ask the processor: false positives are possible, as those bytes are, and only
// make a count be doubted.
func asksProcessor(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if symbols, err := f.DynamicSymbols(); err == nil && slices.ContainsFunc(symbols, asks) {
		return true
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 || s.Size > maxFile {
			continue
		}
		if code, err := s.Data(); err == nil && bytes.Contains(code, cpuid) {
			return true
		}
	}
	return false
}

func asks(s elf.Symbol) bool {
	return elf.ST_TYPE(s.Info) == elf.STT_GNU_IFUNC || strings.HasPrefix(s.Name, "__cpu_")
}
