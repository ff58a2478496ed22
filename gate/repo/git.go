package repo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/child"
)

// Git asks git about the repository around a folder. Code of a pull request may have written to that repository: programs that its
// configuration names are not run (filters are: what Git LFS keeps is read through them), nothing is fetched, and git gets no
// credential.
type Git struct {
	Dir  string
	Bare bool // Dir may be a bare repository. Else one is refused: a checkout can bring a folder that looks like one

	env   []string
	input []byte
}

// settings win over the configuration of the repository. Submodules and filters inherit them.
var settings = []string{
	"--literal-pathspecs", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
	"-c", "log.showSignature=false", "-c", "protocol.allow=never",
}

// passed are the variables of git's own that reach it: where the user's configuration is, and what has nothing to run.
var passed = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
	"GIT_EXEC_PATH", "GIT_LFS_SKIP_SMUDGE", "GIT_TEST_ASSUME_DIFFERENT_OWNER",
}

// maxOutput is how much git may print, in bytes.
const maxOutput = 64 << 20

// With returns g with further NAME=value entries in the environment.
func (g Git) With(env ...string) Git {
	g.env = append(slices.Clip(g.env), env...)
	return g
}

// Input returns g with what git reads from its standard input.
func (g Git) Input(data []byte) Git {
	g.input = data
	return g
}

// Run returns what git prints, without the last newline. The error is an *Error, or of ctx.
func (g Git) Run(ctx context.Context, args ...string) (string, error) {
	text, err := g.Output(ctx, args...)
	return strings.TrimSuffix(text, "\n"), err
}

// Output returns what git prints. The error is an *Error, or of ctx.
func (g Git) Output(ctx context.Context, args ...string) (string, error) {
	failed := &Error{Verb: args[0], Dir: g.Dir}
	path, err := exec.LookPath("git")
	if err != nil {
		failed.Kind, failed.Err = NoGit, err
		return "", failed
	}
	stdin, err := inMemory(g.input)
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	defer stdin.Close()
	out, err := child.Run(ctx, child.Spec{
		Path: path, Args: slices.Concat(settings, g.bareness(), args), Dir: g.Dir, Stdin: stdin, HeadBytes: maxOutput, MaxBytes: maxOutput, Env: g.environ(),
	})
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case out.Flooded:
		failed.Kind = TooMuch
		return "", failed
	case err != nil:
		failed.Text, failed.Err = strings.TrimSpace(out.Stderr), err
		failed.Kind = classify(failed.Text, err)
		return "", failed
	}
	return out.Stdout, nil
}

func (g Git) bareness() []string {
	if g.Bare {
		return nil
	}
	return []string{"-c", "safe.bareRepository=explicit"}
}

// environ has no secrets. An empty GIT_ALLOW_PROTOCOL forbids what a repository's configuration would allow against protocol.allow,
// and git versions before GIT_NO_LAZY_FETCH fetch what a partial clone lacks.
func (g Git) environ() []string {
	env := slices.DeleteFunc(child.Scrub(os.Environ()), func(entry string) bool { return strings.HasPrefix(entry, "GIT_") })
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	env = child.With(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_OPTIONAL_LOCKS=0")
	return child.With(env, g.env...)
}

// inMemory is a file with a content, which no folder has.
func inMemory(content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("git-input", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make an input: %w", err)
	}
	f := os.NewFile(uintptr(fd), "git-input")
	if _, err := f.Write(content); err != nil {
		f.Close()
		return nil, fmt.Errorf("write an input: %w", err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		f.Close()
		return nil, fmt.Errorf("write an input: %w", err)
	}
	return f, nil
}

// RemoteRefs lists the refs of a repository at an https address, a line "commit<TAB>ref" each. It is the one question that goes over the
// network, and is asked outside of any repository.
func RemoteRefs(ctx context.Context, address string, refs ...string) (string, error) {
	outside := Git{Dir: "/"}.With("GIT_DIR=/dev/null", "GIT_ALLOW_PROTOCOL=https")
	return outside.Output(ctx, append([]string{"ls-remote", "--", address}, refs...)...)
}
