package config

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/org/perfgate/kernels"
)

// implementation is what a kernel or one of its competitors is made of, and the path of the keys that say so.
type implementation struct {
	at, adapter    string
	sources, flags []string
}

// implementations are the kernel's own, and its competitors'. One that comes with perfgate has no adapter.
func (k Kernel) implementations() []implementation {
	all := []implementation{{k.at, k.Adapter, k.Sources, k.Flags}}
	for i, r := range k.Competitors {
		adapter := r.Adapter
		if kernels.IsAgainst(adapter) {
			adapter = ""
		}
		all = append(all, implementation{index(join(k.at, "competitors"), i), adapter, r.Sources, r.Flags})
	}
	return all
}

// Adapters are the files of a kernel's adapter, if it has one, and of its competitors'.
func (k Kernel) Adapters() (files []string) {
	for _, i := range k.implementations() {
		if i.adapter != "" {
			files = append(files, i.adapter)
		}
	}
	return files
}

// OwnFiles are the files that the configuration names one by one as the kernel's.
func (k Kernel) OwnFiles() []string {
	files := k.Adapters()
	for _, i := range k.implementations() {
		files = append(files, i.sources...)
	}
	if k.Bench != nil && k.Bench.Script != "" {
		files = append(files, path.Clean(k.Bench.Script))
	}
	return files
}

// Named are the files and folders that the configuration names, by paths from its folder: adapters, sources, files of benchmarks, what patterns
// begin with, and what flags of compilers, more of them included, lead to as far as their spelling tells. They need not be there.
func (c *Config) Named(more []string) []string {
	var out []string
	patterns, flags := c.NamedPaths(), more
	for _, k := range c.Kernels {
		out, patterns = append(out, k.OwnFiles()...), slices.Concat(patterns, k.Files)
		for _, i := range k.implementations() {
			flags = slices.Concat(flags, i.flags)
		}
	}
	for _, pattern := range patterns {
		out = append(out, beginning(pattern))
	}
	for _, flag := range flags {
		out = append(out, flagPath(flag))
	}
	return out
}

// Builds says whether commands of the user's run in a side's folder, where they may build.
func (c *Config) Builds() bool { return slices.ContainsFunc(c.Kernels, Kernel.RunsCommands) }

// beginning is the file or the folder that a pattern begins with, "." where it may match anywhere.
func beginning(pattern string) string {
	folder, _ := doublestar.SplitPattern(pattern)
	if !strings.ContainsAny(pattern, `*?[{\`) {
		return path.Clean(pattern)
	}
	return path.Clean(folder)
}

// flagPath is the path in a flag: of -Ifolder, -isystemfolder, -Lfolder, --option=file, @file, and a word that may be one, or the value of the flag
// before it.
func flagPath(flag string) string {
	for _, prefix := range []string{"-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I", "-L", "@"} {
		if rest, ok := strings.CutPrefix(flag, prefix); ok && rest != "" {
			return path.Clean(rest)
		}
	}
	if _, value, ok := strings.Cut(flag, "="); ok && strings.HasPrefix(flag, "-") {
		return path.Clean(value)
	}
	return path.Clean(flag)
}
