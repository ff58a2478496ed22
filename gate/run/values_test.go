package run

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// kept is a value as it comes back from JSON.
func kept[T any](t *testing.T, v T) T {
	t.Helper()
	var back T
	must(t, json.Unmarshal([]byte(jsonOf(t, v)), &back))
	if is, was := jsonOf(t, back), jsonOf(t, v); is != was {
		t.Errorf("%T comes back as %s\nwas %s", v, is, was)
	}
	return back
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return string(data)
}

// Every kernel and every case of the plan is in the result, wherever its way ended.
func TestNothingPlannedDisappears(t *testing.T) {
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	k := opt.Trusted.Config.Kernels[0]
	for _, name := range []string{"unbuilt", "new", "wrong"} {
		other := k
		other.Name = name
		opt.Trusted.Config.Kernels = append(opt.Trusted.Config.Kernels, other)
	}
	var v Values
	var err error
	if v.Asked, err = ask(&opt, time.Now()); err != nil {
		t.Fatal(err)
	}
	on := func(i int) Kernel {
		return Kernel{Plan: v.Asked.Plan.Kernels[i], Base: Build{Record: &result.Build{}}, Head: Build{Record: &result.Build{}}, Parity: result.Parity{Status: result.ParityPassed}}
	}
	v.Measured.On = []Kernel{timed(on(0))}
	v.Measured.On[0].Cases[0].Record.Verdict = result.Same
	fresh := on(2)
	fresh.Base.Record = nil
	v.Measured.Ended = []result.Kernel{*on(3).end(result.KernelFailed, result.Message("wrong")), *fresh.last(), *on(1).end(result.KernelFailed, &result.Reason{Kind: result.ReasonNoBuild, Side: result.SideHead})}
	res := kept(t, v).Assemble()
	var got []string
	for i, c := range res.Cases {
		got = append(got, res.Kernels[i].Name+" "+string(res.Kernels[i].Status)+", "+c.Name+" "+string(c.Verdict))
	}
	want := "k compared, k/n=4000 same; unbuilt failed, unbuilt/n=4000 skipped; new new, new/n=4000 new; wrong failed, wrong/n=4000 skipped"
	if got := strings.Join(got, "; "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
