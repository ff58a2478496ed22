package report

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// sandbox says what builds and kernels were kept from, and what from not.
func sandbox(s *result.Sandbox) Text {
	switch {
	case s == nil:
		return nil
	case s.Mode == result.SandboxOff:
		return Text{{Text: "off: builds and kernels ran with all that the user may do", Tone: Warn}}
	case s.Landlock == 0:
		did := "only the environment was scrubbed, and memory, disk and output limited"
		if s.Seccomp {
			did += ", and sockets and rare system calls closed"
		}
		return Text{{Text: "none: it could not forbid " + strings.Join(s.Gaps, "; ") + "; " + did, Tone: Warn}}
	}
	what := "builds and kernels"
	switch {
	case !s.Kernels && !s.Commands:
		what = "compilers, but no build command, profiler or kernel,"
	case !s.Kernels:
		what = "builds, but not kernels,"
	case !s.Commands:
		what = "compilers and kernels, but no build command and no profiler,"
	}
	by := fmt.Sprintf("Landlock %d", s.Landlock)
	if s.Seccomp {
		by += " and seccomp"
	}
	t := Say(fmt.Sprintf("%s: %s could read their sources and the toolchain, write a private folder, and reach no network or process beyond the gaps", by, what))
	if !s.Kernels {
		t[0].Tone = Warn
	}
	if len(s.Gaps) > 0 {
		t = append(t, words("; it could not forbid "+strings.Join(s.Gaps, "; ")))
	}
	return t
}

// shards says which part of a plan this is, or of which parts it was made.
func shards(r *result.Result) Text {
	if s := r.Shard; s != nil {
		return Text{words(fmt.Sprintf("%d of %d: its cases are a part of the plan's %d, and perfgate merge makes one verdict of all", s.Index, s.Of, r.Policy.Cases))}
	}
	if len(r.Merged) == 0 {
		return nil
	}
	var parts []string
	for _, p := range r.Merged {
		what := fmt.Sprintf("%d/%d on %s", p.Index, p.Of, p.Machine)
		if p.Of == 1 {
			what = p.Machine
		}
		parts = append(parts, fmt.Sprintf("%s (%s, %s, %s)", what, p.Verdict, Count(p.Cases, "case"), Elapsed(p.TotalS)))
	}
	return Text{words(fmt.Sprintf("merged of %s: ", Count(len(r.Merged), "result"))), words(strings.Join(parts, "; "))}
}
