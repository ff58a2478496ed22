package child

import (
	"cmp"
	"time"
)

// Limit is one of a Spec that a child broke.
type Limit string

// The limits that are watched.
const (
	OverOutput Limit = "output"    // it printed more than MaxBytes
	OverDisk   Limit = "disk"      // it wrote more than Disk allows
	DiskFull   Limit = "disk-full" // the disk has hardly any room left, which others may have taken as well
	OverShared Limit = "shared"    // it had more of System V's memory than Shared
	OverMemory Limit = "memory"    // it held more than Memory
)

// watch looks again and again, until the child has ended, whether it has broken a limit.
func (p *Process) watch(every time.Duration, look func() Limit) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-p.exited:
			return
		case <-ticks.C:
		}
		if broken := look(); broken != "" {
			p.killFor(broken)
		}
	}
}

// killFor notes for which limit the child is killed, the first one, and kills it.
func (p *Process) killFor(broken Limit) {
	p.mu.Lock()
	p.broke = cmp.Or(p.broke, broken)
	p.mu.Unlock()
	p.Kill()
}

func (p *Process) flood() { p.killFor(OverOutput) }
