package baseline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/observe"
)

func sampleObservation() Observation {
	return Observation{
		Asked: map[string][]string{"opened+looked-up": {"csrc/k.cu", "csrc/k.h"}, "looked-up": {"csrc/none.h"}, "listed": {"."}},
		Environment: &Environment{Parts: []EnvironmentPart{
			{Name: "libcublas.so.12", Files: []string{"/usr/lib/libcublas.so.12"}, Digest: strings.Repeat("a1", 16)},
			{Name: "numpy", Files: []string{"/venv/numpy/__init__.py", "/venv/numpy/core.so"}, Digest: strings.Repeat("b2", 16)},
		}},
	}
}

// observedRecord is a record whose case was observed.
func observedRecord(n int) *Record {
	r := sampleRecord(n, 4)
	r.TakeObservations(map[string]Observation{"attention": sampleObservation()})
	return r
}

// What a case asked for comes back from a record as it was taken, and equal lists are kept once.
func TestRecordKeepsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	r := observedRecord(1)
	second := r.Cases[0]
	second.Name, second.Kernel = "softmax/n=1", "softmax"
	r.Cases = append(r.Cases, second)
	r.TakeObservations(map[string]Observation{"softmax": sampleObservation()})
	data, err := Encode(r)
	must(t, err)
	back, err := Decode(data)
	must(t, err)
	if len(back.Observations) != 1 || len(back.Environments) != 1 {
		t.Errorf("%d observations, %d environments, want one of each", len(back.Observations), len(back.Environments))
	}
	o, ok := back.Observation(&back.Cases[1])
	want := []observe.Access{
		{Path: ".", Asked: observe.Listed}, {Path: "csrc/none.h", Asked: observe.LookedUp},
		{Path: "csrc/k.cu", Asked: observe.Opened | observe.LookedUp}, {Path: "csrc/k.h", Asked: observe.Opened | observe.LookedUp},
	}
	if !ok || !o.Complete() || !slices.Equal(o.Paths(), want) || o.Environment == nil || o.Environment.Parts[1].Name != "numpy" {
		t.Errorf("%+v", o)
	}
	if _, ok := sampleRecord(1, 4).Observation(&sampleRecord(1, 4).Cases[0]); ok {
		t.Error("a case that was not observed has an observation")
	}
}

// A record of 4,000 paths and 8,000 files stays small.
func TestObservationsCompress(t *testing.T) {
	t.Parallel()
	o := Observation{Asked: map[string][]string{}, Environment: &Environment{Parts: []EnvironmentPart{{Name: "torch", Digest: strings.Repeat("a1", 16)}}}}
	for i := range MostAsked {
		o.Asked["opened"] = append(o.Asked["opened"], fmt.Sprintf("src/part%d/module_%d.py", i/100, i))
	}
	for i := range MostEnvironment {
		o.Environment.Parts[0].Files = append(o.Environment.Parts[0].Files, fmt.Sprintf("/venv/lib/python3.12/site-packages/torch/part%d/module_%d.py", i/100, i))
	}
	r := sampleRecord(1, 4)
	r.TakeObservations(map[string]Observation{"attention": o})
	data, err := Encode(r)
	if err != nil || len(data) > 100_000 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// Two narrowed records of one commit keep what each was observed to ask for.
func TestMergeKeepsObservations(t *testing.T) {
	t.Parallel()
	older, newer := observedRecord(1), sampleRecord(1, 4)
	newer.Cases[0].Name, newer.Cases[0].Kernel = "softmax/n=1", "softmax"
	newer.TakeObservations(map[string]Observation{"softmax": {Incomplete: []observe.ReasonKind{observe.NotObserved}}})
	newer.Merge(older)
	if _, err := Encode(newer); err != nil {
		t.Fatal(err)
	}
	was, ok := newer.Observation(newer.Case(older.Cases[0].Name))
	if !ok || !was.Complete() || was.Environment == nil {
		t.Errorf("%+v", was)
	}
	if own, ok := newer.Observation(newer.Case("softmax/n=1")); !ok || own.Complete() {
		t.Errorf("%+v", own)
	}
}

// What is compared of a record's lists is held to its form before it is used.
func TestBrokenObservationsAreRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Record){
		"a path out of the tree": func(r *Record) { change(r, func(o *Observation) { o.Asked["opened"] = []string{"../secret"} }) },
		"another way to ask":     func(r *Record) { change(r, func(o *Observation) { o.Asked["guessed"] = []string{"a"} }) },
		"a reason in words":      func(r *Record) { change(r, func(o *Observation) { o.Incomplete = []observe.ReasonKind{"it is so"} }) },
		"too many": func(r *Record) {
			change(r, func(o *Observation) { o.Asked["opened"] = slices.Repeat([]string{"a"}, MostAsked+1) })
		},
		"a missing observation": func(r *Record) { r.Cases[0].Observed = "none" },
		"a missing environment": func(r *Record) { r.Environments = nil },
		"another environment": func(r *Record) {
			for _, e := range r.Environments {
				e.Parts[0].Name = "a"
			}
		},
		"no case has it": func(r *Record) { r.Cases[0].Observed = "" },
	} {
		r := observedRecord(1)
		spoil(r)
		if _, err := Encode(r); err == nil {
			t.Errorf("%s: a record of it is written", name)
		}
	}
}

func change(r *Record, by func(*Observation)) {
	for name, o := range r.Observations {
		by(&o)
		r.Observations[name] = o
	}
}

// Another environment keeps a record from being the base, and so does one that is not known; its parts are named.
func TestEnvironmentKeepsRecordsApart(t *testing.T) {
	t.Parallel()
	h := history(t, func(n int, r *Record) {
		if n < 5 {
			r.TakeObservations(map[string]Observation{"attention": sampleObservation()})
		}
	})
	now := nowOf(h)
	if b, _ := h.Base(now); b == nil || len(b.Sessions) != 10 {
		t.Fatal("an environment counts that nobody asked about")
	}
	now.Environment = func(o Observation) ([]string, bool) { return nil, o.Environment != nil }
	if b, _ := h.Base(now); b == nil || len(b.Sessions) != 5 {
		t.Errorf("%+v: want the five sessions whose environment is known", b)
	}
	now.Environment = func(o Observation) ([]string, bool) {
		return []string{"libcublas.so.12", "numpy"}, o.Environment != nil
	}
	b, why := h.Base(now)
	if b != nil || why.Kind != result.ReasonEnvironmentChanged || !slices.Equal(why.Names, []string{"libcublas.so.12", "numpy"}) {
		t.Errorf("%+v, %+v", b, why)
	}
	now.Environment = func(Observation) ([]string, bool) { return nil, false }
	if b, why = h.Base(now); b != nil || why.Kind != result.ReasonEnvironmentUnknown {
		t.Errorf("%+v, %+v", b, why)
	}
	if built := h.Built(now, h.Found[0].Record.Cases[0].Inputs); built != nil {
		t.Error("base's build is taken from a record of which the environment is not known")
	}
}

// The parts of an environment that differ between two records of a case are named: changed, new and gone ones, and none where one is not known.
func TestPartsChanged(t *testing.T) {
	t.Parallel()
	then, now := observedRecord(1), sampleRecord(2, 4)
	if names := PartsChanged(then, &then.Cases[0], now, &now.Cases[0]); names != nil {
		t.Errorf("of a case that was not observed: %q", names)
	}
	o := sampleObservation()
	parts := o.Environment.Parts
	parts[1].Digest = strings.Repeat("c3", 16)
	o.Environment.Parts = []EnvironmentPart{{Name: "aten", Files: []string{"/a"}, Digest: strings.Repeat("d4", 16)}, parts[1]}
	now.TakeObservations(map[string]Observation{"attention": o})
	if names := PartsChanged(then, &then.Cases[0], now, &now.Cases[0]); !slices.Equal(names, []string{"aten", "libcublas.so.12", "numpy"}) {
		t.Errorf("%q", names)
	}
	if names := PartsChanged(then, &then.Cases[0], then, &then.Cases[0]); names != nil {
		t.Errorf("of one record: %q", names)
	}
}
