package run

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// A build command that ends well and makes nothing that the benchmark could start has failed, and what it printed is what there is to read.
func TestBuildThatMakesNothing(t *testing.T) {
	t.Parallel()
	ignored := "    build: {command: 'echo compiler not found >&2'}\n"
	for name, tt := range map[string]struct{ bench, base, head string }{
		"a program of the tree":    {"A=1 ./build/bench -x", "", ""},
		"what another starts":      {"env A=1 ./build/bench", "", ""},
		"after a change of folder": {"cd . && ./build/bench", "", ""},
		"on head alone":            {"./build/bench", "#!/bin/sh\necho kernel,ns; echo k,$((1000 + $$ % 100))\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := ignored + "    bench: {command: '" + tt.bench + "', format: csv}\n"
			files := func(program string) map[string]string {
				if program == "" {
					return nil
				}
				return map[string]string{"build/bench": program}
			}
			opt := benchSides(t, repo.TrustWorktree, yaml, files(tt.base), files(tt.head))
			said := ""
			opt.Progress = func(p Progress) {
				if p.Stage == StageFailed {
					said += p.What
				}
			}
			res := benchRun(t, opt)
			if tt.base != "" && !strings.Contains(said, "head does not build: ") {
				t.Errorf("said before the rounds: %q", said)
			}
			side, build, want := result.SideBase, res.Kernels[0].Base, result.ExitNotMeasurable
			if tt.base != "" {
				side, build, want = result.SideHead, res.Kernels[0].Head, result.ExitFailed
			}
			if !build.Failed || build.Cause != result.CauseCommand || !strings.Contains(build.Output, "compiler not found") || !strings.Contains(build.Output, "did not make") || len(build.Command) == 0 {
				t.Errorf("%s: %+v", side, build)
			}
			if found := res.Conclusion.Findings; len(found) == 0 || found[0].Kind != result.FindingBuild || res.Conclusion.Exit != want {
				t.Errorf("exit %d, %+v", res.Conclusion.Exit, found)
			}
		})
	}
}

// A program that is committed is not what a build made: a command that ends well and makes none has failed, whatever starts the program.
func TestBuildThatLeavesAnOldProgram(t *testing.T) {
	t.Parallel()
	echo, err := os.ReadFile("/bin/echo")
	if err != nil {
		t.Skip("no program to take: ", err)
	}
	for name, starts := range map[string]string{"itself": "./build/bench", "by another": "nice -n 0 ./build/bench", "in another folder": "cd build && ./bench", "by a script": "sh starts"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(starts, "./build") { // what it runs is only seen
				observed(t)
			}
			yaml := "    build: {command: 'test ! -f made || cp made build/bench'}\n" +
				`    bench: {command: '` + starts + ` -e "kernel,ns\nk,1234567"', format: csv}` + "\n"
			script := "exec ./build/bench \"$@\"\n"
			base := map[string]string{"build/bench": string(echo), "made": string(echo), "starts": script}
			head := map[string]string{"build/bench": string(echo), "starts": script}
			res := benchRun(t, benchSides(t, repo.TrustWorktree, yaml, base, head))
			k := res.Kernels[0]
			if k.Base.Failed || !k.Head.Failed || !strings.Contains(k.Head.Output, "did not make") || !strings.Contains(k.Head.Output, "build/bench, which") || res.Conclusion.Exit != result.ExitFailed {
				t.Errorf("base %+v, head %+v, exit %d", k.Base, k.Head, res.Conclusion.Exit)
			}
		})
	}
}

// A benchmark that no build was to make, and that is not there, is a benchmark that fails: its build is in order.
func TestBenchmarkThatIsNotThere(t *testing.T) {
	t.Parallel()
	opt := benchSides(t, repo.TrustWorktree, "    bench: {command: ./build/bench, format: csv}\n", map[string]string{}, map[string]string{})
	res := benchRun(t, opt)
	if why := res.Kernels[0].Reason; why == nil || why.Kind != result.ReasonBenchmarkFails || !strings.Contains(why.Message, "could not be started") || res.Conclusion.Exit != result.ExitNotMeasurable {
		t.Errorf("%+v, exit %d", why, res.Conclusion.Exit)
	}
}

// What head's build did not read is not head's: a compiler's wrapper that knows sources by their names gives head what it made for base.
func TestBuildThatIsServedByACache(t *testing.T) {
	t.Parallel()
	observed(t)
	const (
		cached  = "test -f %[1]s/kept && cp %[1]s/kept made || { cat k.c n.c >made; cp made %[1]s/kept; }"
		depends = "test -f %[1]s/kept && cat n.c >made || { cat k.c n.c >made; cp made %[1]s/kept; }"
	)
	for name, tt := range map[string]struct {
		build string
		head  map[string]string
		want  []string
	}{
		"each side's own":           {"cat k.c n.c >made", map[string]string{"k.c": "2"}, nil},
		"from a cache":              {cached, map[string]string{"k.c": "2", "README": "2"}, []string{"k.c"}},
		"of what no build reads":    {cached, map[string]string{"README": "2"}, nil},
		"where head reads a change": {depends, map[string]string{"k.c": "2", "n.c": "2"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := map[string]string{"k.c": "1", "n.c": "1", "README": "1", "bench.sh": "cat made >/dev/null; " + oneRow}
			build := tt.build
			if strings.Contains(build, "%") {
				build = fmt.Sprintf(build, t.TempDir())
			}
			yaml := "    build: {command: '" + build + "'}\n    bench: {command: 'sh bench.sh', format: csv}\n"
			res := benchRun(t, changedSides(t, yaml, base, tt.head))
			var got []string
			for _, u := range res.Kernels[0].Uncompared {
				if u.Reason.Kind == result.ReasonStaleBuild {
					got = u.Reason.Names
				}
			}
			if !slices.Equal(got, tt.want) || (res.Conclusion.Exit == result.ExitNotMeasurable) != (tt.want != nil) {
				t.Errorf("%q, exit %d; want %q: %+v, %+v", got, res.Conclusion.Exit, tt.want, res.Kernels[0], res.Conclusion.Findings)
			}
		})
	}
}
