package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

// SanitizerTools are the tools of NVIDIA's compute-sanitizer: accesses outside of allocations, reads of device memory that
// nothing has written, races in shared memory, and barriers that not all threads reach.
var SanitizerTools = []string{"memcheck", "initcheck", "racecheck", "synccheck"}

// ErrNoSanitizer says that the machine has no compute-sanitizer.
var ErrNoSanitizer = errors.New("no compute-sanitizer found: it is part of the CUDA toolkit (cuda-sanitizer in its packages), next to nvcc or on the PATH")

// FindSanitizer finds compute-sanitizer: beside the CUDA compiler, else on the PATH.
func FindSanitizer(nvcc Compiler) (string, error) {
	path, err := CUDATool(nvcc.Path, "compute-sanitizer")
	if err != nil {
		return "", ErrNoSanitizer
	}
	return filepath.Abs(path)
}

// SanitizedRunner is a runner under one tool of compute-sanitizer. What the tool finds during a call is the call's error.
type SanitizedRunner struct {
	*Runner
	tool string
	dir  string // of the log alone
	read int64  // bytes of the log that were looked at
}

// StartSanitized starts a harness under a tool of compute-sanitizer.
func StartSanitized(ctx context.Context, s RunnerSpec, sanitizer, tool string) (*SanitizedRunner, error) {
	dir, err := os.MkdirTemp(s.Dir, "sanitizer-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the sanitizer's log: %w", err)
	}
	r := &SanitizedRunner{tool: tool, dir: dir}
	s.Under = append([]string{sanitizer, "--tool", tool, "--log-file", r.log(), "--print-limit", "50"}, toolOptions[tool]...)
	s.Apart = true
	s.Writes = append(s.Writes, dir)
	s.SeparateBuffers = true
	if r.Runner, err = StartRunner(ctx, s); err != nil {
		defer os.RemoveAll(dir)
		if report := strings.TrimSpace(r.unread()); report != "" {
			return nil, fmt.Errorf("compute-sanitizer --tool %s: %w; it says: %.500s", tool, err, report)
		}
		return nil, fmt.Errorf("compute-sanitizer --tool %s: %w", tool, err)
	}
	return r, nil
}

// toolOptions: failed calls of the runtime and copies by the host are the harness's, which looks after them itself.
var toolOptions = map[string][]string{
	"memcheck":  {"--report-api-errors", "no"},
	"initcheck": {"--check-api-memory-access", "no"},
}

func (r *SanitizedRunner) log() string { return filepath.Join(r.dir, "log") }

// Call is Runner's. A finding takes the place of what the runner says, and ends it: the tool may have ended its use of the
// device, and prints no more than so many reports.
func (r *SanitizedRunner) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	err := r.Runner.Call(ctx, op, what, args, answer, limit)
	if r.broken != nil && err != nil && !errors.As(err, new(*RunnerError)) {
		return err
	}
	finding := firstFinding(r.unread())
	if finding == "" {
		return err
	}
	r.process.Kill()
	<-r.process.Done()
	r.broken = &RunnerError{Code: result.CodeSanitizer, Message: r.tool + ": " + finding, Doing: strings.TrimSpace(op + " " + what)}
	return r.broken
}

// Close is Runner's, and takes the log away.
func (r *SanitizedRunner) Close() {
	r.Runner.Close()
	os.RemoveAll(r.dir)
}

// maxReport bounds what is read of a log at a time: the first report tells all that is shown.
const maxReport = 256 << 10

// unread is what the log has got since the last look.
func (r *SanitizedRunner) unread() string {
	f, err := untrusted.Open(r.log(), untrusted.NoLimit)
	if err != nil {
		return ""
	}
	defer f.Close()
	text := make([]byte, maxReport)
	n, _ := f.ReadAt(text, r.read) // an error is the end of the file
	if info, err := f.Stat(); err == nil {
		r.read = info.Size()
	}
	return string(text[:n])
}

var (
	reportLine = text.Pattern(`^=+ ( *)(.*)$`)
	address    = text.Pattern(` (at )?0x[0-9a-f]+`)
	// What stands in a log and is no finding.
	noFinding = text.Pattern(`^(COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|LEAK SUMMARY|Target application|Error: process didn't terminate|Warning: )`)
)

// harnessKernels are ours, by the namespace they are in: they read whole outputs, written or not, which is judged elsewhere.
const harnessKernels = "perfgate::"

// firstFinding is the first report of a log on a kernel of the adapter in one line, and how many there are; "" for none. A
// report is a line behind the prefix, and lines that are indented further.
func firstFinding(log string) string {
	var first []string
	count := 0
	for _, report := range reports(log) {
		if noFinding().MatchString(report[0]) || strings.Contains(strings.Join(report, " "), harnessKernels) {
			continue
		}
		if count++; count == 1 {
			first = report
		}
	}
	if count == 0 {
		return ""
	}
	text := strings.Join(first[:min(len(first), 5)], ", ")
	text = address().ReplaceAllString(strings.TrimPrefix(text, "Error: "), "")
	text = text[:min(len(text), 600)]
	if count > 1 {
		text += fmt.Sprintf(" (and %d more reports on this case)", count-1)
	}
	return strings.ToValidUTF8(text, "?")
}

// reports splits a log into reports of lines without prefix and indent; backtraces of the host are left out.
func reports(log string) [][]string {
	var all [][]string
	backtrace := false
	for _, line := range strings.Split(log, "\n") {
		m := reportLine().FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil || m[2] == "" {
			continue
		}
		switch {
		case m[1] == "":
			all, backtrace = append(all, []string{m[2]}), false
		case strings.Contains(m[2], "backtrace") || strings.HasPrefix(m[2], "Host Frame:"):
			backtrace = true
		case len(all) > 0 && !backtrace:
			all[len(all)-1] = append(all[len(all)-1], strings.TrimSpace(m[2]))
		}
	}
	return all
}
