package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/child"
)

// Git asks git about the repository around a folder. Code of a pull request may have written to that repository: programs that its
// configuration names are not run (filters are: what Git LFS keeps is read through them), nothing is fetched, and git gets no
// credential.
type Git struct {
	Dir  string
	Bare bool // Dir may be a bare repository. Else one is refused: a checkout can bring a folder that looks like one

	env       []string
	input     []byte
	fileBytes uint64 // most that a file may grow to that git writes; 0 is any
}

// settings win over the configuration of the repository. Submodules and filters inherit them.
var settings = []string{
	"--literal-pathspecs", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
	"-c", "log.showSignature=false", "-c", "protocol.allow=never",
}

// passed are variables that reach git: its own that say where the user's configuration is or have nothing to run, and proxies.
var passed = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
	"GIT_EXEC_PATH", "GIT_LFS_SKIP_SMUDGE", "GIT_TEST_ASSUME_DIFFERENT_OWNER",
	"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", // with a password, if the proxy asks for one
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
	words := slices.Clip(settings)
	if !g.Bare {
		words = append(words, "-c", "safe.bareRepository=explicit")
	}
	// In our process group, unlike code under test: what the terminal ends, ends git.
	cmd := exec.CommandContext(ctx, path, append(words, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = g.Dir, g.environ(), bytes.NewReader(g.input), time.Second
	var out, complaint bounded
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err = cmd.Start(); err == nil {
		if g.fileBytes > 0 { // inherited by what git starts to write, once the server has answered
			err = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: g.fileBytes, Max: g.fileBytes}, nil)
		}
		if ended := cmd.Wait(); ended != nil || errors.Is(err, unix.ESRCH) {
			err = ended
		}
	}
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case out.full || complaint.full:
		failed.Kind = TooMuch
		return "", failed
	case err != nil:
		failed.Text, failed.Err = strings.TrimSpace(complaint.kept.String()), err
		failed.Kind = classify(failed.Text, err)
		return "", failed
	}
	return out.kept.String(), nil
}

// list returns what git prints, of a command with -z that parts or ends words with zero bytes.
func (g Git) list(ctx context.Context, args ...string) ([]string, error) {
	text, err := g.Output(ctx, args...)
	return strings.FieldsFunc(text, func(r rune) bool { return r == 0 }), err
}

// bounded keeps output; its writer breaks off where that is too much.
type bounded struct {
	kept bytes.Buffer
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > maxOutput {
		b.full = true
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
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
