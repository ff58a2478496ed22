package kernels

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/sandbox"
)

// What a side's frameworks compile stays in the side's folder, wherever the environment keeps it. No variable leads elsewhere.
func TestCachesAreTheSides(t *testing.T) {
	env := withCaches([]string{"TRITON_CACHE_MANAGER=x:y", "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE=1", "NUMBA_CACHE_DIR=/shared", "PATH=/bin"}, "/side")
	want := []string{
		"PATH=/bin", "TRITON_CACHE_DIR=/side/triton", "TRITON_HOME=/side/triton-home", "TORCHINDUCTOR_CACHE_DIR=/side/inductor",
		"TORCH_EXTENSIONS_DIR=/side/torch-extensions", "CUPY_CACHE_DIR=/side/cupy", "NUMBA_CACHE_DIR=/side/numba", "CUDA_CACHE_PATH=/side/cuda",
		"GOCACHE=/side/go-build",
	}
	if !slices.Equal(env, want) {
		t.Errorf("%q", env)
	}
}

// A command finds the side's caches in its environment and can write there, in the sandbox too.
func TestCommandHasItsCaches(t *testing.T) {
	t.Setenv("NUMBA_CACHE_DIR", "/shared")
	for _, box := range []*Sandbox{nil, {}} {
		caches := t.TempDir()
		out, err := RunCommand(t.Context(), CommandSpec{
			Line: `mkdir -p "$NUMBA_CACHE_DIR" && echo "$NUMBA_CACHE_DIR $A"`, Dir: t.TempDir(), Root: t.TempDir(), Scratch: t.TempDir(), Caches: caches, Limit: time.Minute,
			Env: []string{"A=b"}, Sandbox: box,
		})
		if err != nil || out.Stdout != caches+"/numba b\n" {
			t.Errorf("%v, %q", err, out.Stdout)
		}
	}
}

// Devices that a command is given can be opened in the sandbox, and no others. There is no terminal behind this one, which only who opens it finds out.
func TestCommandOpensItsDevices(t *testing.T) {
	t.Parallel()
	kernelstest.NeedLandlock(t, 1)
	for want, devices := range map[string][]string{"Permission denied": nil, "No such device": {"/dev/tty"}} {
		out, err := RunCommand(t.Context(), CommandSpec{
			Line: "cat /dev/tty 2>&1; true", Dir: t.TempDir(), Root: t.TempDir(), Scratch: t.TempDir(), Devices: devices, Limit: time.Minute, Sandbox: &Sandbox{},
		})
		if err != nil || !strings.Contains(out.Stdout, want) {
			t.Errorf("%q: %q, %v", devices, out.Stdout, err)
		}
	}
}

// A benchmark that fills memory is stopped, and told what it did.
func TestCommandIsHeldToItsMemory(t *testing.T) {
	t.Parallel()
	_, err := RunCommand(t.Context(), CommandSpec{
		Line: "(head -c 64M /dev/zero; sleep 50) | tail -c 80M", Dir: t.TempDir(), Scratch: t.TempDir(), Limit: time.Minute, Memory: 32 << 20,
	})
	if fault := runnerFault(err); fault.Code != result.CodeFilled || !strings.Contains(fault.Message, "more than 32 MiB of memory") {
		t.Error(err)
	}
}

// A line that is one program becomes that program, since no process that the shell forks could open a GPU in the sandbox. Others are left to the shell.
func TestCommandBecomesItsProgram(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"./bench -a T=[F32,F64]":              "exec ./bench -a T=[F32,F64]",
		"N=1 M='a b' ./bench >log 2>&1":       "N=1 M='a b' exec ./bench >log 2>&1",
		`A="a \" b"c\ d  B=${C:-e f} ./bench`: `A="a \" b"c\ d  B=${C:-e f} exec ./bench`,
		"A=1 cd build":                        "A=1 cd build",
		"A=1":                                 "A=1",
		"./b --filter='^(a|b)$' \"x;y\" \\;":  "exec ./b --filter='^(a|b)$' \"x;y\" \\;",
		"cd build && ./bench":                 "cd build && ./bench",
		"./gen | ./bench":                     "./gen | ./bench",
		"./a; ./b":                            "./a; ./b",
		"./bench &":                           "./bench &",
		"echo kernel,ns":                      "echo kernel,ns",
		"./b $(cat args)":                     "./b $(cat args)",
		"./b 'unended":                        "./b 'unended",
		"  ":                                  "  ",
	} {
		if got := replacing(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	for line, forks := range map[string]bool{"A=1 sleep 0.01": false, "true; sleep 0.01": true} {
		forked := false
		run := func(box *Sandbox) error {
			_, err := RunCommand(t.Context(), CommandSpec{
				Line: strings.Replace(line, "sleep 0.01", `sh -c 'echo shell >/proc/self/comm'`, 1), Dir: t.TempDir(), Root: t.TempDir(), Scratch: t.TempDir(), Limit: time.Minute, Sandbox: box,
			})
			return err
		}
		must(t, run(nil))
		if sandbox.LandlockABI() > 0 {
			forked = run(&Sandbox{}) != nil
			if forked != forks {
				t.Errorf("%s: its program may name its threads: %v", line, !forked)
			}
		}
	}
}

// An error is told although what was printed after it, or on another stream, is longer.
func TestErrorsArePrintedFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"no device\n", "1\n2\n3\n4\n5\n6\n", "no device\n3\n4\n5\n6"}, {"a\nb\nc\nd\ne\nf\n", "1\n", "b\nc\nd\ne\nf"}, {"", "1\n2\n", "1\n2"}, {"a", "", "a"}, {"", "", ""},
	} {
		if got := lastPrinted(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%q, want %q", got, tt[2])
		}
	}
}

// What CUDA says where it was not let is told with what helps.
func TestCommandThatForkedWhatOpensAGPU(t *testing.T) {
	t.Parallel()
	_, err := RunCommand(t.Context(), CommandSpec{
		Line: "echo 'CUDA error: OS call failed or operation not supported on this OS'; exit 1", Dir: t.TempDir(), Root: t.TempDir(), Scratch: t.TempDir(), Limit: time.Minute, Sandbox: &Sandbox{},
	})
	if err == nil || sandbox.LandlockABI() > 0 && !strings.Contains(err.Error(), "end a script with exec") {
		t.Error(err)
	}
}

// A command that waits works once it is told, and not when it is closed before. Its time counts from then.
func TestCommandWaitsToBeTold(t *testing.T) {
	t.Parallel()
	for _, box := range []*Sandbox{nil, {}} {
		scratch := t.TempDir()
		spec := CommandSpec{
			Line: "word=$(cat) && echo told $word", Dir: t.TempDir(), Root: t.TempDir(), Scratch: scratch, Limit: time.Minute, Sandbox: box, Waits: true,
		}
		c, err := StartCommand(spec)
		must(t, err)
		before := time.Now()
		if !c.Tell("to go") {
			t.Error("not told")
		}
		end, err := c.Wait(t.Context())
		if err != nil || end.Stdout != "told to go\n" || end.Lived > time.Since(before) {
			t.Errorf("%v, %+v", err, end)
		}
		if c, err = StartCommand(spec); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if left, _ := os.ReadDir(scratch); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		spec.Line = "exec 0</dev/null; echo gone >&2; exit 3"
		if c, err = StartCommand(spec); err != nil {
			t.Fatal(err)
		}
		<-c.process.Done()
		if c.Tell("anyone?") {
			t.Error("one that is gone was told")
		}
		c.Close()
	}
}

// What a line assigns reaches its program as sh expands it, and not split into words.
func TestAssignmentsOfACommandLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`A=$V sh -c 'echo "$A"'`:           "x  y",
		`A=${V#x} B=1 sh -c 'echo "$A$B"'`: "  y1",
		`A="$V z" B=$A sh -c 'echo "$A"'`:  "x  y z",
		`env A="$V" sh -c 'echo "$A"'`:     "x  y",
		`A=a\ b sh -c 'echo "$A"'`:         "a b",
	} {
		end, err := RunCommand(t.Context(), CommandSpec{Line: line, Dir: t.TempDir(), Scratch: t.TempDir(), Env: []string{"V=x  y"}, Limit: time.Minute})
		if err != nil || end.Stdout != want+"\n" {
			t.Errorf("%s printed %q, %v; want %q", line, end.Stdout, err, want)
		}
	}
}
