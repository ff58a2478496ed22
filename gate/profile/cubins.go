package profile

import (
	"context"
	"fmt"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// code is one compiled GPU function.
type code struct {
	name     string // in which both sides' are paired
	resource kernels.Resource
	mix      Mix
	launches []Launch
}

// variant is one compilation of a function: a framework makes one for each type, size or configuration of its source.
type variant struct {
	function  string
	registers int
}

// launchedVariants are what was launched, in the order of the first launch of each.
func launchedVariants(launches []Launch) (order []variant, of map[variant][]Launch) {
	of = map[variant][]Launch{}
	for _, l := range launches {
		v := variant{l.Function, l.Registers}
		if l.Registers == 0 {
			continue // a profile's: it does not say which compilation it saw
		}
		if of[v] == nil {
			order = append(order, v)
		}
		of[v] = append(of[v], l)
	}
	return order, of
}

// mostCubinsRead bounds what is disassembled of one side: each takes cuobjdump a moment.
const mostCubinsRead = 32

// cached is the code of the functions that were launched, among what frameworks keep in a folder of caches. Compilations of one function
// are told apart by their registers and numbered in the order of their first launch, which is that of the cases on both sides.
func (d *Disassembly) cached(ctx context.Context, caches string, launches []Launch) ([]code, *result.Gap) {
	order, of := launchedVariants(launches)
	found, gap := d.variants(ctx, caches, of)
	var out []code
	count := map[string]int{}
	for _, v := range order {
		c, ok := found[v]
		if !ok {
			continue
		}
		count[v.function]++
		c.name, c.launches = v.function, of[v]
		if n := count[v.function]; n > 1 {
			c.name = fmt.Sprintf("%s #%d", v.function, n)
		}
		out = append(out, c)
	}
	return out, gap
}

// variants reads the cubins of the functions that are wanted.
func (d *Disassembly) variants(ctx context.Context, caches string, wanted map[variant][]Launch) (map[variant]code, *result.Gap) {
	names := map[string]bool{}
	for v := range wanted {
		names[v.function] = true
	}
	found := map[variant]code{}
	read := 0
	for _, cubin := range kernels.Cubins(caches) {
		if !names[cubin.Function] || read == mostCubinsRead {
			continue
		}
		read++
		resources, gap := d.resources(ctx, cubin.Path)
		if gap != nil {
			return found, gap
		}
		mixes, gap := d.of(ctx, cubin.Path)
		for _, r := range resources {
			v := variant{r.Function, r.Registers}
			if _, taken := found[v]; wanted[v] != nil && !taken {
				found[v] = code{resource: r, mix: mixes[r.Function]}
			}
		}
		if gap != nil {
			return found, gap
		}
	}
	return found, nil
}

// resources asks cuobjdump what the functions of a file need: all but the spills, which show as local memory among the instructions.
func (d *Disassembly) resources(ctx context.Context, path string) ([]kernels.Resource, *result.Gap) {
	tool, err := kernels.CUDATool(d.Nvcc, "cuobjdump")
	if err != nil {
		return nil, withoutTool()
	}
	out, err := d.run(ctx, child.Spec{Path: tool, Args: []string{"--dump-resource-usage", path}}, path)
	if err != nil {
		return nil, unreadable(out, err)
	}
	return kernels.ParseResourceDump(out.Stdout), nil
}
