package profile

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// Disassembly counts the machine instructions of libraries, of each once: a large one takes cuobjdump seconds, and many
// kernels may lie in it.
type Disassembly struct {
	Nvcc    string           // path of the compiler, beside which its tools lie
	Sandbox *kernels.Sandbox // for these tools, which read what code under test has made; nil: none
	Scratch string           // for folders that are taken away again

	known map[string]disassembled // by path
}

type disassembled struct {
	mixes map[string]Mix
	gap   *result.Gap
}

// of is the mix of every function of a library, empty for none. It needs cuobjdump; the gap says why there is nothing.
func (d *Disassembly) of(ctx context.Context, library string) (map[string]Mix, *result.Gap) {
	if library == "" {
		return nil, nil // not built in this run: a record settled its cases
	}
	found, ok := d.known[library]
	if !ok {
		found.mixes, found.gap = d.disassemble(ctx, library)
		if d.known == nil {
			d.known = map[string]disassembled{}
		}
		d.known[library] = found
	}
	return found.mixes, found.gap
}

// maxSASS is how much of a disassembly is read.
const maxSASS = 32 << 20

func (d *Disassembly) disassemble(ctx context.Context, library string) (map[string]Mix, *result.Gap) {
	tool, err := kernels.CUDATool(d.Nvcc, "cuobjdump")
	if err != nil {
		return nil, withoutTool()
	}
	out, err := d.run(ctx, child.Spec{Path: tool, Args: []string{"-sass", library}, HeadBytes: maxSASS}, library)
	if err != nil {
		return nil, unreadable(out, err)
	}
	return parseSASS(out.Stdout), nil
}

func withoutTool() *result.Gap {
	return &result.Gap{
		Kind: result.GapNoDisassembly, Text: "cuobjdump is neither next to nvcc nor on the PATH, so the machine instructions of both sides were not compared",
		Cure: "install cuobjdump (package cuda-cuobjdump of the CUDA toolkit)",
	}
}

func unreadable(out child.Output, err error) *result.Gap {
	return &result.Gap{
		Kind: result.GapNoDisassembly, Text: "cuobjdump cannot read what was built, so the machine instructions of both sides were not compared",
		Message: cmp.Or(lastLine(out.Stderr), err.Error()), Cure: "use the cuobjdump of the toolkit that nvcc is from",
	}
}

func (d *Disassembly) run(ctx context.Context, spec child.Spec, library string) (child.Output, error) {
	dir, err := os.MkdirTemp(d.Scratch, "cuobjdump-")
	if err != nil {
		return child.Output{}, err
	}
	defer os.RemoveAll(dir)
	return child.Run(ctx, d.Sandbox.Tool(spec, dir, library))
}

// mostSaid bounds what is kept of a tool's words.
const mostSaid = 300

// lastLine is the last line that a program printed.
func lastLine(printed string) string {
	printed = strings.TrimSpace(printed)
	line := strings.TrimSpace(printed[strings.LastIndexByte(printed, '\n')+1:])
	return strings.ToValidUTF8(line[:min(len(line), mostSaid)], "")
}
