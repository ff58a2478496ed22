package kernels

import (
	"runtime"
	"testing"
)

// Builds that run at once compile no more files at a time than one alone does: all wait for the same slots.
func TestBuildsShareTheirSlots(t *testing.T) {
	t.Parallel()
	b := &Builder{}
	first, second := b.slots(), b.slots()
	if first != second || cap(first) != runtime.NumCPU() {
		t.Fatalf("slots of two builds: %p and %p, for %d", first, second, cap(first))
	}
	inUse := 0
	units := make([]unit, 3)
	if err := eachUnit(make(chan struct{}, 1), units, func(int) error { inUse++; return nil }); err != nil || inUse != len(units) {
		t.Errorf("%d of %d units: %v", inUse, len(units), err)
	}
}
