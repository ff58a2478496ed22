package benchmark

import "testing"

func TestMatch(t *testing.T) {
	ok, failed, skipped, rate := &Case{Name: "k"}, &Case{Name: "k", Failed: "no memory"}, &Case{Name: "k", Failed: "skipped", Skipped: true}, &Case{Name: "k", Unit: UnitRate, Bytes: 600}
	coarse := &Case{Name: "k", Failed: "the clock is too coarse", Coarse: true}
	less, timed := &Case{Name: "k", Unit: UnitRate, Bytes: 300}, &Case{Name: "k", Bytes: 600}
	for _, tt := range []struct {
		base, head *Case
		want       State
	}{
		{ok, ok, Common}, {rate, rate, Common}, {ok, nil, Lost}, {ok, skipped, Lost}, {ok, failed, Failing}, {nil, failed, Failing}, {skipped, failed, Failing},
		{nil, ok, New}, {skipped, ok, New}, {failed, ok, Broken}, {failed, failed, Broken}, {failed, nil, Broken}, {skipped, skipped, Left}, {skipped, nil, Left},
		{ok, coarse, Coarse}, {coarse, ok, Coarse}, {coarse, failed, Coarse}, {nil, coarse, Coarse}, {ok, rate, Changed}, {rate, ok, Changed}, {rate, less, Changed}, {ok, timed, Common},
	} {
		var base, head Set
		if tt.base != nil {
			base.Cases = []Case{*tt.base}
		}
		if tt.head != nil {
			head.Cases = []Case{*tt.head}
		}
		pairs := Match(base, head)
		if len(pairs) != 1 || pairs[0].State != tt.want || pairs[0].Name != "k" || (pairs[0].Reason == "") != (tt.want == Common || tt.want == New) {
			t.Errorf("%+v against %+v: %+v, want state %d", tt.base, tt.head, pairs, tt.want)
		}
	}
	said := func(bytes float64, said bool) Set {
		return Set{Cases: []Case{{Name: "k", Bytes: bytes, WorkSaid: said}}}
	}
	for _, tt := range []struct {
		base, head Set
		want       bool
	}{{said(600, true), said(600, true), false}, {said(600, true), said(300, true), true}, {said(600, false), said(599, false), false}} {
		if p := Match(tt.base, tt.head)[0]; p.Work != tt.want || p.State != Common {
			t.Errorf("%+v against %+v: %+v", tt.base, tt.head, p)
		}
	}
	pairs := Match(Set{Cases: []Case{{Name: "b"}, {Name: "a"}}}, Set{Cases: []Case{{Name: "c"}, {Name: "a"}, {Name: "b"}}})
	var order string
	for _, p := range pairs {
		order += p.Name
	}
	if order != "bac" {
		t.Errorf("order %s", order)
	}
}
