package explain

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// transfers is the cause that copies and fills take more of the slower side's time. A profile has kernels only, so that what those account for and
// what these do make up the time on the device. Seconds are compared with those of the kernels next to them: a process repeats both as often as it likes.
func (o *oriented) transfers() result.Cause {
	fast, slow := o.in.BaseWork, o.in.HeadWork
	if o.sign < 0 {
		fast, slow = slow, fast
	}
	if fast == nil || slow == nil || fast.Process != slow.Process || !(fast.KernelSeconds > 0) || !(slow.KernelSeconds > 0) {
		return result.Cause{}
	}
	c := result.Cause{ID: MoreTransfers, Log: math.Log1p(slow.TransferSeconds()/slow.KernelSeconds) - math.Log1p(fast.TransferSeconds()/fast.KernelSeconds)}
	per := func(w *result.DeviceWork, n int64) float64 {
		if w.Process {
			return float64(n) / float64(w.Kernels)
		}
		return float64(n)
	}
	of := ""
	if slow.Process {
		of = " for each kernel of the process"
	}
	for _, kind := range result.TransferKinds {
		before, after := fast.Transferred(kind), slow.Transferred(kind)
		if before.Count > 0 || after.Count > 0 {
			name := kind.Words(2) + of
			c.Changes = append(c.Changes, o.change(name, "", "", per(fast, before.Count), per(slow, after.Count)),
				o.change("bytes of "+name, "", "byte", per(fast, before.Bytes), per(slow, after.Bytes)))
		}
	}
	return c
}
