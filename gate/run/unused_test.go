package run

import (
	"archive/zip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// unusedIn are the changed files of a run that nobody asked for, as it would report them.
func unusedIn(t *testing.T, opt Options) []string {
	t.Helper()
	s, v := foundRun(t, opt)
	m := s.measuring(v.Asked)
	for _, k := range v.Builds.On {
		if _, err := m.identical(t.Context(), &k, new(Account)); err != nil {
			t.Fatal(err)
		}
	}
	return unusedOf(t, s, v)
}

// unusedOf are those of a run that has looked whether its kernels are the same.
func unusedOf(t *testing.T, s *session, v *Values) []string {
	t.Helper()
	var names []string
	for _, u := range s.workshop.unusedFiles(v.Asked.Plan) {
		if u.Reason.Kind == result.ReasonUnread { // for other shards
			continue
		}
		if u.Reason.Kind != result.ReasonUnused || u.Only {
			t.Errorf("%+v", u)
		}
		names = append(names, u.Reason.Names...)
	}
	return names
}

// A file that watch or sources names, and that no build or run asked for, is reported: its writer may expect that it was measured.
func TestChangedFilesThatNobodyAsksForAreReported(t *testing.T) {
	t.Parallel()
	observed(t)
	const (
		everything = "paths: [\"**\"]\n"
		adapter    = "    adapter: k.pg.cc\n    params: {n: {values: [7]}}\n"
	)
	kernel := map[string]string{"k.pg.cc": `#include "saxpy_kernel.h"`, "saxpy_kernel.h": "#include \"saxpy.h\"\nSAXPY_SPEC\nSAXPY_REFERENCE\nSAXPY_LAUNCH { saxpy::compute(saxpy::args(c, data)); return 0; }\n", "saxpy.h": read(t, "../../testdata/saxpy.h")}
	script := map[string]string{"bench.sh": "cat code.txt >/dev/null; ls folder >/dev/null\n" + oneRow, "code.txt": "1", "folder/a": ""}
	for name, tt := range map[string]struct {
		yaml  string
		files map[string]string
		head  map[string]string // files that it changes
		want  []string
		cases []string // that are chosen
	}{
		"a header that nothing includes":  {adapter + everything, kernel, map[string]string{"fast.h": "int f();", "saxpy.h": kernel["saxpy.h"] + "// a remark"}, []string{"fast.h"}, nil},
		"included":                        {adapter + everything, kernel, map[string]string{"saxpy_kernel.h": kernel["saxpy_kernel.h"] + "static int unused;"}, nil, nil},
		"outside of what is watched":      {adapter + "paths: [csrc/**]\n", kernel, map[string]string{"fast.h": "int f();"}, nil, nil},
		"nothing is watched":              {adapter, kernel, map[string]string{"fast.h": "int f();"}, nil, nil},
		"data of code that differs":       {adapter + everything, kernel, map[string]string{"table.bin": "1", "saxpy_kernel.h": kernel["saxpy_kernel.h"] + "extern \"C\" int more() { return 1; }"}, nil, nil},
		"data of code that is the same":   {adapter + everything, kernel, map[string]string{"table.bin": "1"}, []string{"table.bin"}, nil},
		"a file beside a script":          {rowBench + everything, script, map[string]string{"other.txt": "1", "code.txt": "2"}, []string{"other.txt"}, nil},
		"a file of a folder that is read": {rowBench + everything, script, map[string]string{"folder/b": "1"}, nil, nil},
		"one of them that was there":      {rowBench + everything, script, map[string]string{"folder/a": "2"}, []string{"folder/a"}, nil},
		"only the configuration":          {rowBench + everything, script, map[string]string{"perfgate.yaml": ""}, nil, nil},
		"a side that does not build":      {adapter + everything, kernel, map[string]string{"fast.h": "int f();", "saxpy_kernel.h": "broken"}, nil, nil},
		"a choice of cases":               {adapter + everything, kernel, map[string]string{"table.bin": "1"}, nil, []string{"k/n=7"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := changedSides(t, tt.yaml, tt.files, tt.head)
			opt.Cases = tt.cases
			if got := unusedIn(t, opt); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// The configuration says which files nothing reads. A run that sees one read says so, while it is still compared.
func TestReadsThatStartNoRunAreReported(t *testing.T) {
	t.Parallel()
	observed(t)
	files := map[string]string{
		"k.pg.cc": `#include "saxpy_kernel.h"`, "saxpy.h": read(t, "../../testdata/saxpy.h"), "table.md": "static const int table = 1;", "README.md": "A document.",
		"saxpy_kernel.h": "#include \"saxpy.h\"\n#include \"table.md\"\nSAXPY_SPEC\nSAXPY_REFERENCE\nSAXPY_LAUNCH { saxpy::compute(saxpy::args(c, data)); return table - 1; }\n",
	}
	const adapter = "    adapter: k.pg.cc\n    params: {n: {values: [7]}}\n"
	for paths, want := range map[string][]string{"paths: ['**', '!*.md']\n": {"table.md"}, "paths: [csrc/**]\n": nil, "": nil} {
		s, _ := foundRun(t, changedSides(t, adapter+paths, files, map[string]string{"saxpy_kernel.h": files["saxpy_kernel.h"] + "// more\n"}))
		if got := s.workshop.unwatchedReads(); !slices.Equal(got, want) {
			t.Errorf("with %q: %q, want %q", paths, got, want)
		}
	}
}

// What is committed beside its sources, or installed, was made or copied of what no build read: where head changes that only, nothing was compared.
func TestSourcesOfCommittedProductsAreReported(t *testing.T) {
	t.Parallel()
	observed(t)
	echo := read(t, "/bin/echo")
	const (
		none   = "    bench: {command: 'LIB=lib/echo sh bench.sh', format: csv}\n"
		built  = "    build: {command: 'cp lib/echo made'}\n    bench: {command: 'LIB=./made sh bench.sh', format: csv}\n"
		fresh  = "    build: {command: 'cp /bin/echo lib/echo'}\n    bench: {command: 'LIB=lib/echo sh bench.sh', format: csv}\n"
		copies = "    bench: {command: 'cat copies/k.py copies/none.py k.zip mod.pyc __pycache__/cached.x.pyc >/dev/null; LIB=/bin/echo sh bench.sh', format: csv}\n"
		other  = "  - name: l\n    bench: {command: 'cat l.c >/dev/null; echo kernel,ns; echo l,5', format: csv, }\n    files: [l.c]\n"
		stats  = "    build: {command: 'test lib/echo -nt k.c; cp lib/echo made'}\n    bench: {command: 'LIB=./made sh bench.sh', format: csv}\n"
	)
	for name, tt := range map[string]struct {
		yaml string
		head map[string]string
		want []string
		only bool

		cases, kernels []string // that are chosen
	}{
		"of chosen cases":          {yaml: none, head: map[string]string{"k.c": "2"}, want: []string{"k.c"}, only: true, cases: []string{"k"}},
		"of a chosen kernel":       {yaml: none + other, head: map[string]string{"k.c": "2", "l.c": "2"}, want: []string{"k.c"}, only: true, kernels: []string{"k"}},
		"of another kernel":        {yaml: none + other, head: map[string]string{"l.c": "2"}, kernels: []string{"k"}},
		"without a build":          {none, map[string]string{"k.c": "2"}, []string{"k.c"}, true, nil, nil},
		"copied by a build":        {built, map[string]string{"k.c": "2", "README": "2"}, []string{"k.c"}, true, nil, nil},
		"looked at by a build":     {stats, map[string]string{"k.c": "2"}, []string{"k.c"}, true, nil, nil},
		"made by a build":          {fresh, map[string]string{"k.c": "2"}, nil, false, nil, nil},
		"changed as well":          {none, map[string]string{"k.c": "2", "lib/echo": echo + "2"}, nil, false, nil, nil},
		"next to what is read":     {none, map[string]string{"k.c": "2", "bench.sh": "# 2\n$LIB -e 'kernel,ns\\nk,1234567'\n"}, []string{"k.c"}, false, nil, nil},
		"nothing but a text":       {none, map[string]string{"README": "2"}, nil, false, nil, nil},
		"outside of what is gated": {none + "paths: [bench.sh]\n", map[string]string{"k.c": "2"}, nil, false, nil, nil},
		"of what is gated":         {none + "paths: [k.c]\n", map[string]string{"k.c": "2"}, []string{"k.c"}, true, nil, nil},
		"a copy":                   {copies, map[string]string{"k.py": "2"}, []string{"k.py"}, true, nil, nil},
		"a copy that changes too":  {copies, map[string]string{"k.py": "2", "copies/k.py": "2"}, nil, false, nil, nil},
		"another by that name":     {copies, map[string]string{"other/k.py": "2"}, nil, false, nil, nil},
		"a copy of nothing":        {copies, map[string]string{"none.py": "2"}, nil, false, nil, nil},
		"an archive":               {copies, map[string]string{"src/pkg/__init__.py": "2", "src/pkg/a.py": "2", "src/__init__.py": "2"}, []string{"src/pkg/__init__.py", "src/pkg/a.py"}, true, nil, nil},
		"bytecode":                 {copies, map[string]string{"src/mod.py": "2"}, []string{"src/mod.py"}, true, nil, nil},
		"bytecode that is kept":    {copies, map[string]string{"cached.py": "2", "src/cached.py": "2"}, []string{"cached.py"}, true, nil, nil},
		"a library of Python":      {none, map[string]string{"src/echo.py": "2", "src/k.py": "2"}, []string{"src/echo.py"}, true, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := map[string]string{
				"lib/echo": echo, "k.c": "1", "l.c": "1", "README": "1", "bench.sh": "$LIB -e 'kernel,ns\\nk,1234567'\n",
				"k.py": "1", "copies/k.py": "1", "other/k.py": "0", "none.py": "", "copies/none.py": "", "src/pkg/__init__.py": "1", "src/pkg/a.py": "1",
				"k.zip": archive(t, "pkg/__init__.py", "pkg/a.pyc"), "mod.pyc": "1", "__pycache__/cached.x.pyc": "1",
			}
			opt := changedSides(t, tt.yaml, base, tt.head)
			opt.Cases, opt.Only = tt.cases, tt.kernels
			res := benchRun(t, opt)
			var got []string
			only := false
			for _, u := range res.Uncompared {
				if u.Reason.Kind == result.ReasonUnbuilt {
					got, only = u.Reason.Names, u.Only
				}
			}
			if !slices.Equal(got, tt.want) || only != tt.only || (res.Conclusion.Exit == result.ExitNotMeasurable) != tt.only {
				t.Errorf("%q, only %v, exit %d; want %q, only %v; %+v, %+v", got, only, res.Conclusion.Exit, tt.want, tt.only, res.Kernels, res.Conclusion.Findings)
			}
		})
	}
}

// A shard leaves to all shards together whether anything of the change was compared: what one of them reads was.
func TestSourcesOfCommittedCodeInShards(t *testing.T) {
	t.Parallel()
	observed(t)
	const yaml = "    bench: {command: 'sh bench.sh', format: csv}\n  - name: l\n    bench: {command: 'cat l.c copies/m.py >/dev/null; echo kernel,ns; echo l,1234567', format: csv}\n"
	for name, tt := range map[string]struct {
		head map[string]string
		exit result.ExitCode
		want []string
	}{
		"that none reads":      {map[string]string{"k.c": "2"}, result.ExitNotMeasurable, []string{"k.c"}},
		"that one reads":       {map[string]string{"l.c": "2"}, result.ExitPassed, nil},
		"of both kinds":        {map[string]string{"k.c": "2", "l.c": "2"}, result.ExitPassed, []string{"k.c"}},
		"one for each shard":   {map[string]string{"k.c": "2", "m.py": "2"}, result.ExitNotMeasurable, []string{"k.c", "m.py"}},
		"of more than is told": {manyFiles("a", 12, map[string]string{"m.py": "2"}), result.ExitNotMeasurable, []string{"m.py"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := map[string]string{"lib/echo": read(t, "/bin/echo"), "k.c": "1", "l.c": "1", "m.py": "1", "copies/m.py": "1", "bench.sh": "lib/echo -e 'kernel,ns\nk,1234567'\n"}
			opt := changedSides(t, yaml, base, tt.head)
			var inputs []rule.MergeInput
			for i := range 2 {
				opt.Shard, opt.Scratch = &plan.Shard{Index: i + 1, Of: 2, Seed: 3}, t.TempDir()
				res := benchRun(t, opt)
				if res.Conclusion.Exit != result.ExitPassed {
					t.Errorf("shard %d: %+v", i+1, res.Conclusion)
				}
				inputs = append(inputs, rule.MergeInput{Name: "shard", Result: res})
			}
			merged, err := rule.Merge(inputs, rule.MergeOptions{})
			must(t, err)
			var got []string
			for _, u := range merged.Uncompared {
				got = append(got, u.Reason.Names...)
			}
			if merged.Conclusion.Exit != tt.exit || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %+v", got, merged.Conclusion)
			}
		})
	}
}

// manyFiles adds so many text files to others.
func manyFiles(prefix string, n int, others map[string]string) map[string]string {
	for i := range n {
		others[fmt.Sprintf("%s%02d.txt", prefix, i)] = "2"
	}
	return others
}

// archive is a zip file of empty files.
func archive(t *testing.T, names ...string) string {
	t.Helper()
	var b strings.Builder
	w := zip.NewWriter(&b)
	for _, name := range names {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	must(t, w.Close())
	return b.String()
}
