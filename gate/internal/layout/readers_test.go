package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readers open files. What code under test, a build or a pull request may have made is read by gate/untrusted and by none of these: they wait
// for pipes, follow links anywhere, or read without end.
var readers = map[string][]string{
	"os":                    {"Open", "OpenFile", "ReadFile", "DirFS", "OpenRoot", "OpenInRoot"},
	"debug/elf":             {"Open", "NewFile"},
	"syscall":               {"Open", "Openat"},
	"golang.org/x/sys/unix": {"Open", "Openat", "Openat2"},
	"archive/zip":           {"OpenReader"},
}

// Why a file may be opened otherwise.
const (
	named = "the user names it on the command line, and it may be a pipe"
	setup = "init looks through the user's own checkout before anything of it has run"
	proc  = "the Linux kernel writes it"
	ours  = "perfgate alone writes it, in a folder that is its own"
	lists = "it is a folder whose entries are listed"
	looks = "it is a folder, in which files are looked at, made or removed, and none is read"
)

// trusted are the functions that open files otherwise.
var trusted = map[string]string{
	"gate/request/record.go ReadNamed":              named,
	"cmd/simulate/main.go readNoise":                named,
	"cmd/simulate/main.go readPower":                named,
	"gate/search/snapshot.go patch":                 named,
	"gate/search/compare_read.go ReadSamples":       named,
	"gate/search/compare_read.go readSampleFolder":  named,
	"gate/profile/nsight_read.go readFile":          named,
	"gate/trial/cases.go programText":               setup,
	"gate/trial/trial.go Starter":                   setup,
	"gate/trial/build.go buildCommand":              setup,
	"gate/trial/build.go buildExtensions":           setup,
	"gate/trial/seen.go ownPackages":                setup,
	"gate/trial/build.go builtProgram":              setup,
	"cmd/perfgate/init_tasks.go writeTasks":         setup,
	"gate/baseline/folder.go make":                  "it is locked, and nothing is read",
	"gate/config/patterns.go entriesOf":             lists,
	"kernels/observe/process.go process":            proc,
	"gate/doctor/isolation.go findIsolation":        proc,
	"gate/doctor/probe.go askCUDATools":             proc,
	"gate/doctor/probe.go nvidiaGPUs":               proc,
	"gate/doctor/runner.go diagnosticPorts":         proc,
	"gate/doctor/runner.go findRunner":              proc,
	"gate/doctor/runner.go parent":                  proc,
	"gate/search/tree_objects.go foldersOf":         looks,
	"gate/search/tree.go checkLinks":                looks,
	"gate/search/tree.go walk":                      "files below it are opened without links and waiting, and all bytes of a tree are counted",
	"gate/machine/lock.go draw":                     "it is made and locked, and nothing is read",
	"gate/machine/lock.go openLockFile":             "it is locked, and nothing is read",
	"gate/machine/ticket.go isInUse":                "whether it is locked is asked, and nothing is read",
	"gate/machine/machine.go contents":              proc,
	"gate/machine/machine.go readFile":              proc,
	"gate/run/side.go makeRoom":                     looks,
	"gate/run/bench_build.go compiledProgram":       looks,
	"kernels/build_command.go withoutProducts":      looks,
	"gate/repo/patterns.go LayOver":                 looks,
	"gate/saved/replace.go SyncFolder":              "it is synced, and nothing is read",
	"kernels/environment_packages.go packages":      lists,
	"kernels/build_sandbox.go makeWithin":           looks,
	"kernels/child/memory.go kilobytes":             proc,
	"kernels/child/mapped.go mappedCode":            proc,
	"kernels/child/orphans.go listedChildren":       proc,
	"kernels/child/orphans.go names":                proc,
	"kernels/child/orphans.go processStats":         proc,
	"kernels/child/segments.go ownSegments":         proc,
	"kernels/child/segments.go removeNoted":         ours,
	"kernels/inputs.go processor":                   proc,
	"kernels/sandbox/helper.go pinSelf":             proc,
	"kernels/sandbox/policy.go configuredLibraries": "it is a file of /etc",
	"kernels/timing_check.go cpuTimeAtRest":         proc,
	"kernels/environment_cache.go openLock":         "it is locked, and nothing is read",
}

func TestUntrustedFilesHaveOneReader(t *testing.T) {
	found := map[string]bool{}
	root := os.DirFS("../../..")
	for _, top := range []string{"cmd", "gate", "kernels"} {
		err := fs.WalkDir(root, top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || ofTests(path) {
				return err
			}
			return eachReader(root, path, func(place, call string) {
				found[place] = true
				if trusted[place] == "" {
					t.Errorf("%s calls %s: read what others may have made with gate/untrusted, or say in the table why nobody could have", place, call)
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for place := range trusted {
		if !found[place] {
			t.Errorf("%s is in the table and opens nothing: take it out", place)
		}
	}
}

// ofTests says whether a file is support of tests.
func ofTests(path string) bool {
	for _, part := range []string{"testdata/", "gate/internal/", "kernels/kernelstest/", "cmd/perfgate/usertest/", "gate/untrusted/"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

// eachReader calls f for each use of a reader in a file, with the function that it is in.
func eachReader(root fs.FS, path string, f func(place, call string)) error {
	src, err := fs.ReadFile(root, path)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	names := map[string]map[string]bool{} // functions by the name of their package in this file
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		name := filepath.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		for _, function := range readers[imported] {
			if names[name] == nil {
				names[name] = map[string]bool{}
			}
			names[name][function] = true
		}
	}
	for _, declared := range file.Decls {
		place := path
		if function, ok := declared.(*ast.FuncDecl); ok {
			place += " " + function.Name.Name
		}
		ast.Inspect(declared, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && writes(call) {
				return false
			}
			if s, ok := n.(*ast.SelectorExpr); ok {
				if in, ok := s.X.(*ast.Ident); ok && names[in.Name][s.Sel.Name] {
					f(place, in.Name+"."+s.Sel.Name)
				}
			}
			return true
		})
	}
	return nil
}

// writes says whether a call opens a file for nothing but writing.
func writes(call *ast.CallExpr) bool {
	if s, ok := call.Fun.(*ast.SelectorExpr); !ok || s.Sel.Name != "OpenFile" || len(call.Args) < 2 {
		return false
	}
	only := false
	ast.Inspect(call.Args[1], func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		only = only || ok && s.Sel.Name == "O_WRONLY"
		return true
	})
	return only
}
