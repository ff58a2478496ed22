package report

import (
	"slices"
	"strconv"

	"github.com/ianlancetaylor/demangle"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// mostLaunches bounds the lines on launches.
const mostLaunches = 4

// staticFacts are what launches, compiled code and growth of time say by themselves.
func staticFacts(r *result.Result) []Text {
	if r.Evidence == nil {
		return nil
	}
	var launches, functions, scaling phrases
	for _, c := range sorted(r.Cases) {
		if c.Launched != nil && slices.Contains(sureChanges, c.Verdict) {
			for _, change := range launchChanges(*c.Launched, r.Machine.GPU) {
				launches.say("`%s`: %v", nameOf(c).Full, change)
			}
		}
	}
	for _, k := range r.Evidence.Kernels {
		for _, f := range k.Functions {
			change := functionChange(f)
			functions.when(change != nil, "`%s`: %v", k.Kernel, change)
		}
	}
	for _, s := range r.Evidence.Scaling {
		scaling.when(s.Text != "", "`%s`: %s", s.Kernel, s.Text)
	}
	return slices.Concat(launches[:min(len(launches), mostLaunches)], functions[:min(len(functions), mostFunctions)], scaling[:min(len(scaling), mostScaling)])
}

// launchChanges say how what a case launches changed: what shows a grid that is too small without a profiler. Launches are paired by function and
// by their order among its own: no document says that a graph lists them as they were made. One that the other side does not have is counted.
func launchChanges(l result.Launched, gpu *result.GPU) []Text {
	if len(l.Base) == 0 || len(l.Head) == 0 {
		return nil // one side's could not be recorded
	}
	sms := 0
	if gpu != nil {
		sms = gpu.SMs
	}
	var out phrases
	out.when(len(l.Base) != len(l.Head), "%d → %s launched", len(l.Base), text.Count(len(l.Head), "kernel"))
	left := slices.Clone(l.Base)
	for _, h := range l.Head {
		name := functionName(h.Function)
		i := slices.IndexFunc(left, func(b result.LaunchShape) bool { return functionName(b.Function) == name })
		if i < 0 {
			if len(l.Head) > 1 || len(l.Base) > 1 {
				continue // another function: the code that was compiled says which
			}
			i = 0 // the only one, renamed
		}
		change := launchChange(left[i], h, sms)
		out.when(change != nil, "`%s` is launched as %v", text.Clip(name, LongestCode), change)
		left = slices.Delete(left, i, i+1)
	}
	return out
}

func launchChange(b, h result.LaunchShape, sms int) Text {
	var p phrases
	blocks, before := product(h.Grid), product(b.Grid)
	threads, threadsBefore := product(h.Block), product(b.Block)
	p.when(blocks != before, "%s → %s", text.Digits(before, 0), text.Count(int(blocks), "block"))
	p.when(threads != threadsBefore, "blocks of %s → %s threads", text.Digits(threadsBefore, 0), text.Digits(threads, 0))
	p.when(b.DynamicSharedBytes != h.DynamicSharedBytes, "%s → %s of dynamic shared memory a block",
		text.Bytes(int64(b.DynamicSharedBytes)), text.Bytes(int64(h.DynamicSharedBytes)))
	if len(p) == 0 {
		return nil
	}
	p.when(b.BlocksPerSM > 0 && h.BlocksPerSM > 0 && b.BlocksPerSM != h.BlocksPerSM, "of which %d → %d fit an SM", b.BlocksPerSM, h.BlocksPerSM)
	p.when(b.Waves > 0 && h.Waves > 0, "%s → %s waves", text.Number(b.Waves), text.Number(h.Waves))
	idle := sms - int(blocks)
	p.when(blocks >= 1 && blocks < before && idle > 0, "%d of %d SMs get none", idle, sms)
	return p.joined(", ")
}

// product of the sizes of a grid or a block. They are the driver's on this machine, or anybody's in an artifact.
func product(dims []int) float64 {
	all := 1.0
	for _, d := range dims {
		all *= float64(max(d, 0))
	}
	return min(all, 1e15)
}

// functionName is the name of a function as its source has it, without parameters; what is no mangled name stays as it is.
func functionName(mangled string) string {
	return text.Visible(demangle.Filter(mangled, demangle.NoParams, demangle.NoClones))
}

// functionChange lists what changed about one GPU function.
func functionChange(f result.FunctionPair) Text {
	b, h := f.Base, f.Head
	if b == nil || h == nil {
		return nil
	}
	var p phrases
	add := func(what string, base, head int) { p.when(base != head, "%s %d → %d", what, base, head) }
	add("registers", b.Registers, h.Registers)
	add("shared bytes", b.SharedBytes, h.SharedBytes)
	if b.DynamicSharedBytes != nil && h.DynamicSharedBytes != nil {
		add("dynamic shared bytes", int(*b.DynamicSharedBytes), int(*h.DynamicSharedBytes))
	}
	add("spilled bytes", b.SpillBytes, h.SpillBytes)
	add("stack bytes", b.StackBytes, h.StackBytes)
	p.when(b.Occupancy > 0 && h.Occupancy > 0 && b.Occupancy != h.Occupancy, "occupancy %s → %s%s", text.Percent(b.Occupancy), text.Percent(h.Occupancy), occupancyOf(f))
	p = append(p, mixChange(*b, *h)...)
	if len(p) == 0 {
		return nil
	}
	return say("the code of `%s`: %v", text.Clip(functionName(f.Function), LongestCode), p.joined(", "))
}

// occupancyOf says what limits head's occupancy, if anything does, and what the figures leave out.
func occupancyOf(f result.FunctionPair) string {
	text := PlainText(say("[, limited by %s]", f.Head.Limiter))
	switch {
	case f.Base.Threads == 0 || f.Head.Threads == 0:
		text += " (block size not known)"
	case f.Base.DynamicSharedBytes == nil || f.Head.DynamicSharedBytes == nil:
		text += " (static shared memory only)"
	}
	return text
}

// mostMix is how many classes of instructions a line names.
const mostMix = 3

// mixChange lists the classes of instructions whose number changed most.
func mixChange(b, h result.FunctionCode) phrases {
	counts := map[string]*[2]int{}
	var classes []string
	for side, all := range [2][]result.InstructionCount{b.Instructions, h.Instructions} {
		for _, n := range all {
			if counts[n.Class] == nil {
				counts[n.Class], classes = &[2]int{}, append(classes, n.Class)
			}
			counts[n.Class][side] = n.Count
		}
	}
	size := func(class string) int { n := counts[class]; return max(n[1]-n[0], n[0]-n[1]) }
	slices.SortStableFunc(classes, func(a, b string) int { return size(b) - size(a) })
	var p phrases
	for _, class := range classes[:min(len(classes), mostMix)] {
		n := counts[class]
		p.when(n[0] != n[1], "%s %d → %d", text.Visible(class), n[0], n[1])
	}
	return p
}

// choiceRemark tells of a case whose autotuner did not choose the same everywhere: then other code was timed in other processes.
func choiceRemark(c result.Case) Text {
	base, head := c.Choices(result.VariantBase), c.Choices(result.VariantHead)
	switch {
	case len(base) > 1 || len(head) > 1:
		var p phrases
		p.when(len(base) > 0, "base chose %v", choicesText(base))
		p.when(len(head) > 0, "head chose %v", choicesText(head))
		return p.joined("; ")
	case len(base) == 1 && len(head) == 1 && base[0].Config != head[0].Config:
		return say("base chose `%s`, head `%s`", base[0].Config, head[0].Config)
	}
	return nil
}

// mostChoices bounds what is told of one side.
const mostChoices = 4

// choicesText is "BLOCK=64 in 11 processes, BLOCK=128 in 5".
func choicesText(choices []result.Choice) Text {
	var p phrases
	for i, c := range choices[:min(len(choices), mostChoices)] {
		p.say("`%s` in %s", c.Config, either(i == 0, text.Count(c.Processes, "process", "processes"), whole(float64(c.Processes))))
	}
	p.when(len(choices) > mostChoices, "%s", text.Count(len(choices)-mostChoices, "other"))
	return p.joined(", ")
}

// mostFunctionRows bounds the functions of a kernel that are shown: a library of templates has thousands.
const mostFunctionRows = 40

// codeDetails are what the compiled code of each kernel needs, base and head; functions that did not change are left out.
func codeDetails(r *result.Result) Block {
	if r.Evidence == nil {
		return Block{}
	}
	var all []Block
	for _, k := range r.Evidence.Kernels {
		var rows []functionSide
		for _, f := range k.Functions {
			base, head := functionSide{f, result.SideBase, f.Base, f.Head}, functionSide{f, result.SideHead, f.Head, f.Base}
			if len(rows) < 2*mostFunctionRows && (base.changed() || head.changed()) {
				rows = append(rows, base, head)
			}
		}
		columns := []column[functionSide]{wordsIn("side", "side", 0, func(f functionSide) string { return string(f.side) })}
		for _, q := range codeQuantities {
			columns = append(columns, numbersIn(q.key, q.key, 0, func(f functionSide) Cell { return f.cell(q) }))
		}
		t := tableBy("function", rows, func(_ int, f functionSide) Row {
			return Row{Name: Name{Full: functionName(f.pair.Function)}, Changed: f.changed()}
		}, columns...)
		t.Title = k.Kernel
		b := tableOf("functions "+k.Kernel, Always, t)
		b.Title = code(k.Kernel)
		all = append(all, b)
	}
	return group("functions", Full, Say("Functions that changed"), all...)
}

// quantityOf is what a function needs of something, and how that is written.
type quantityOf struct {
	key  string
	of   func(*result.FunctionCode) float64
	text func(float64) string
}

var codeQuantities = []quantityOf{
	{"registers", func(f *result.FunctionCode) float64 { return float64(f.Registers) }, whole},
	{"shared", func(f *result.FunctionCode) float64 { return float64(f.SharedBytes) }, bytesOf},
	{"spilled", func(f *result.FunctionCode) float64 { return float64(f.SpillBytes) }, bytesOf},
	{"stack", func(f *result.FunctionCode) float64 { return float64(f.StackBytes) }, bytesOf},
	{"occupancy", func(f *result.FunctionCode) float64 { return f.Occupancy }, text.Percent},
	{"instructions", func(f *result.FunctionCode) float64 {
		n := 0
		for _, class := range f.Instructions {
			n += class.Count
		}
		return float64(n)
	}, whole},
}

func whole(n float64) string { return strconv.Itoa(int(n)) }

func bytesOf(n float64) string { return text.Bytes(int64(n)) }

// functionSide is one side of a function, and the other.
type functionSide struct {
	pair      result.FunctionPair
	side      result.Side
	of, other *result.FunctionCode
}

// differs says whether the other side has a quantity different.
func (f functionSide) differs(q quantityOf) bool {
	return f.of != nil && f.other != nil && q.of(f.of) != q.of(f.other)
}

func (f functionSide) changed() bool {
	return (f.of == nil) != (f.other == nil) || count(codeQuantities, f.differs) > 0
}

// cell is a quantity; what the other side has different stands out.
func (f functionSide) cell(q quantityOf) Cell {
	switch {
	case f.of == nil:
		return cell(text.Blank, Quiet)
	case f.differs(q):
		return number(q.text(q.of(f.of)), q.of(f.of), Strong)
	}
	return number(q.text(q.of(f.of)), q.of(f.of), Plain)
}
