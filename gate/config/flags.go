package config

import (
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// toolFlags make a compiler run, obey or load what they name: plugins, specs, wrappers, other tools, precompiled headers and modules.
// Their value follows after = or as the next word; that of -B follows at once.
var toolFlags = []string{
	"-fplugin", "-fpass-plugin", "-load", "-load-pass-plugin", "-plugin", "--plugin", "-specs", "--specs", "-wrapper", "-B", "--prefix", "-fuse-ld", "--ld-path", "-ccbin", "--compiler-bindir",
	"--config", "--gcc-toolchain", "-include-pch", "-fmodule-mapper", "-fmodule-file", "-fprebuilt-module-path",
}

// passedOn are words whose successor is for another tool than the compiler.
var passedOn = []string{"-Xclang", "-Xcompiler", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Wl", "-Wp", "-Wa"}

// compilerFlags reads flags. Tools that lie in the repository are refused: head's would be run to build head, and could make
// anything of it.
func compilerFlags(to *[]string) reader {
	return func(d *decoder, n ast.Node, what string) {
		if !d.clean(func() { list(to, false, "an entry of flags", line)(d, n, what) }) {
			return
		}
		items, ok := n.(*ast.SequenceNode)
		if !ok || len(items.Values) != len(*to) {
			return
		}
		for i, tool := range toolsOfTheTree(*to) {
			if tool != "" {
				d.fail(items.Values[i], "a tool that is installed, by its name or an absolute path",
					"flags have the compiler use %s, which lies in the repository, so that a pull request could bring its own", quoted(tool))
			}
		}
	}
}

// toolsOfTheTree are the tools of the repository that each flag names, "" for a flag that names none.
func toolsOfTheTree(flags []string) []string {
	tools := make([]string, len(flags))
	option := ""
	for i, flag := range flags {
		for _, part := range strings.Split(flag, ",") {
			if slices.Contains(passedOn, part) {
				continue
			}
			value := part
			if option == "" {
				option, value = toolFlag(part)
			}
			if option != "" && value != "" {
				if inTree(option, value) {
					tools[i] = value
				}
				option = ""
			}
		}
	}
	return tools
}

// toolFlag splits a flag that names a tool; the value is "" where it is the next word.
func toolFlag(flag string) (option, value string) {
	for _, option := range toolFlags {
		switch rest, ok := strings.CutPrefix(flag, option); {
		case ok && (rest == "" || strings.HasPrefix(rest, "=")):
			return option, strings.TrimPrefix(rest, "=")
		case ok && option == "-B" && !slices.Contains([]string{"symbolic", "symbolic-functions", "static", "dynamic"}, rest): // of the linker, after -Wl
			return option, rest
		}
	}
	return "", ""
}

// inTree says whether what an option names is looked for in the folder of the configuration. Plain names are looked for among what
// is installed, but by options that take no names.
func inTree(option, value string) bool {
	if path.IsAbs(value) {
		return false
	}
	takesNames := !slices.Contains([]string{"-B", "--prefix", "-include-pch", "-load", "-wrapper"}, option)
	return !takesNames || strings.Contains(value, "/") || path.Ext(value) == ".so"
}
