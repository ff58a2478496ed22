package explain

import (
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// A copy or a fill is in no profile of Nsight Compute: both sides launch the same kernels, which take the same time.
func TestTransfersExplainWhatKernelsDoNot(t *testing.T) {
	t.Parallel()
	same := recording(t, "attn_good")
	work := func(process bool, kernels int64, seconds float64, transfers ...result.Transfer) *result.DeviceWork {
		return &result.DeviceWork{Process: process, Kernels: kernels, KernelSeconds: seconds, Transfers: transfers}
	}
	copied := func(n int64, seconds float64) result.Transfer {
		return result.Transfer{Kind: result.DeviceToDevice, Count: n, Bytes: n << 20, Seconds: seconds}
	}
	for name, tt := range map[string]struct {
		base, head *result.DeviceWork
		ratio      float64
		named      bool
		share      [2]float64
	}{
		"a copy more":                {work(false, 1, 10e-6), work(false, 1, 10e-6, copied(1, 2e-6)), 1.2, true, [2]float64{0.95, 1.05}},
		"a copy less":                {work(false, 1, 10e-6, copied(1, 2e-6)), work(false, 1, 10e-6), 1 / 1.2, true, [2]float64{0.95, 1.05}},
		"a copy in each launch":      {work(true, 1000, 10e-3, copied(3, 1e-5)), work(true, 500, 5e-3, copied(503, 1e-3)), 1.2, true, [2]float64{0.95, 1.05}},
		"copies as before":           {work(false, 1, 10e-6, copied(1, 2e-6)), work(false, 1, 10e-6, copied(1, 2e-6)), 1.2, false, [2]float64{}},
		"too little":                 {work(false, 1, 10e-6), work(false, 1, 10e-6, copied(1, 0.5e-6)), 1.2, false, [2]float64{}},
		"not counted":                {nil, work(false, 1, 10e-6, copied(1, 2e-6)), 1.2, false, [2]float64{}},
		"of a launch and a process":  {work(true, 1, 10e-6), work(false, 1, 10e-6, copied(1, 2e-6)), 1.2, false, [2]float64{}},
		"a process without a kernel": {work(true, 0, 0), work(true, 0, 0, copied(1, 2e-6)), 1.2, false, [2]float64{}},
	} {
		e := Explain(Input{Base: same, Head: same, Measured: sureOf(tt.ratio), BaseWork: tt.base, HeadWork: tt.head})
		if (len(e.Causes) == 1 && e.Causes[0].ID == MoreTransfers) != tt.named {
			t.Errorf("%s: causes %+v, others %+v", name, e.Causes, e.Rest)
			continue
		}
		if c := e.Causes; tt.named && (c[0].Share < tt.share[0] || c[0].Share > tt.share[1] || len(c[0].Changes) != 2 || c[0].Changes[0].Name == "") {
			t.Errorf("%s: %+v", name, c[0])
		}
	}
}

// What a fill explains is not put down to what passes between launches.
func TestTransfersBesideLaunches(t *testing.T) {
	head := []profile.Kernel{kernel(nil)}
	for range 5 {
		head = append(head, kernel(map[string]float64{"cycles": 1e3, "inst": 1e3}))
	}
	in := Input{Base: made(nil), Head: profile.Profile{Kernels: head}, Measured: sureOf(1.5)}
	if e := Explain(in); len(e.Causes) != 1 || e.Causes[0].ID != MoreLaunches {
		t.Errorf("without: %+v, rest %+v", e.Causes, e.Rest)
	}
	in.BaseWork, in.HeadWork = &result.DeviceWork{Kernels: 1, KernelSeconds: 1e-3}, &result.DeviceWork{Kernels: 6, KernelSeconds: 1e-3, Transfers: []result.Transfer{{Kind: result.Fill, Count: 1, Seconds: 0.49e-3}}}
	if e := Explain(in); len(e.Causes) != 1 || e.Causes[0].ID != MoreTransfers {
		t.Errorf("with: %+v, rest %+v", e.Causes, e.Rest)
	}
}
