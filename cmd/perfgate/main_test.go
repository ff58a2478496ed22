package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/org/perfgate/cmd/perfgate/usertest"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/kernelstest/fakeharness"
)

// The test binary is perfgate as well: started under that name, it runs the command. It takes few samples of a process, since what
// is planted here is large, or as many as PERFGATE_TEST_SAMPLES says; 0 leaves it to measuring.
func TestMain(m *testing.M) {
	testscript.Main(withCache{m}, map[string]func(){"perfgate": func() {
		maxSamples = 5
		if samples, err := strconv.Atoi(os.Getenv("PERFGATE_TEST_SAMPLES")); err == nil {
			maxSamples = samples
		}
		os.Exit(start())
	}, "harness": func() {
		fakeharness.Main()
		os.Exit(2) // as a harness that is asked for nothing
	}})
}

// withCache gives the tests of this package one cache of their own, so that the harness is compiled once.
type withCache struct{ m *testing.M }

func (c withCache) Run() int {
	dir, remove, err := kernelstest.Cache()
	if err != nil {
		panic(err)
	}
	defer remove()
	os.Setenv("PERFGATE_CACHE", dir)
	if os.Getenv("PERFGATE_LOCK_DIR") == "" {
		os.Setenv("PERFGATE_LOCK_DIR", dir) // take turns with each other, and do not wait for other packages
	}
	return c.m.Run()
}

// Scripts that compile and measure nothing, and so run with -short too.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"), RequireUniqueNames: true, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, usertest.Env(e.WorkDir)...)
			return usertest.WriteGitConfig(e.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": usertest.Exits},
	})
}

// needHarness compiles the harness before the first test that needs it, so that tests that start together do not all compile it.
func needHarness(t *testing.T) {
	t.Helper()
	kernelstest.NeedTime(t)
	must(t, usertest.Harness())
}
