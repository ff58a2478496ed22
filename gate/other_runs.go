package gate

// ConcludeParity sums up a run that only checked parity: wrong or unbuildable kernels fail it, and a kernel of which
// nothing was checked keeps it from passing.
func ConcludeParity(kernels []KernelOutcome) Conclusion {
	v := &findings{}
	for _, k := range kernels {
		k.Base = BuildOK // whether there is a base only matters to timing
		v.kernel(k)
	}
	if len(kernels) == 0 {
		v.cannot("there is no kernel to check")
	}
	c := Conclusion{Verdict: RunPassed, Exit: ExitPassed, Counts: map[Verdict]int{}}
	c.Reasons = append(append([]string{}, v.failures...), v.errors...)
	switch {
	case len(v.failures) > 0:
		c.Verdict, c.Exit = RunFailed, ExitFailed
	case len(v.errors) > 0:
		c.Verdict, c.Exit = RunError, ExitNotMeasurable
	}
	return c
}

// NothingToDo is the conclusion of a run that has nothing to measure by its configuration, such as a change that
// touches no watched file. It passes, since a required check that never passes blocks for ever, and says why.
func NothingToDo(reason string) Conclusion {
	return Conclusion{Verdict: RunPassed, Exit: ExitPassed, Notes: []string{reason}, Counts: map[Verdict]int{}}
}
