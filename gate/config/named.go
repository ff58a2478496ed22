package config

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Named are the files and folders that the configuration names, by paths from its folder: adapters, sources, files of benchmarks, what patterns
// begin with, and what flags of compilers, more of them included, lead to as far as their spelling tells. They need not be there.
func (c *Config) Named(more []string) []string {
	var out []string
	for _, flag := range more {
		out = append(out, flagPath(flag))
	}
	for _, pattern := range c.Watch {
		out = append(out, beginning(pattern))
	}
	for _, k := range c.Kernels {
		out = append(append(out, k.Adapters()...), k.Sources...)
		for _, pattern := range k.Files {
			out = append(out, beginning(pattern))
		}
		if k.Bench != nil && k.Bench.Script != "" {
			out = append(out, path.Clean(k.Bench.Script))
		}
		flags := k.Flags
		for _, r := range k.Competitors {
			out, flags = append(out, r.Sources...), append(flags[:len(flags):len(flags)], r.Flags...)
		}
		for _, flag := range flags {
			out = append(out, flagPath(flag))
		}
	}
	return out
}

// Builds says whether commands of the user's run in a side's folder, where they may build.
func (c *Config) Builds() bool {
	for _, k := range c.Kernels {
		if k.Build != nil || k.Bench != nil {
			return true
		}
	}
	return false
}

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
