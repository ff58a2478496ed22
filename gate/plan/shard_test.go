package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
)

const shardConfig = `version: 1
device: cpu
kernels:
  - name: a
    adapter: a.cc
    params: {n: {values: [1, 2, 3, 4]}}
  - name: b
    adapter: b.cc
    params: {n: {values: [1, 2, 3]}}
  - name: c
    adapter: c.cc
    params: {n: {values: [1]}}
`

func caseNames(p *Plan) []string {
	var out []string
	for _, k := range p.Kernels {
		for _, c := range k.Measured {
			out = append(out, c.Name())
		}
	}
	return out
}

// However a plan is cut, every case is in one part, in the plan's order, and the error rate is held over all of them.
func TestShardsAreAPartition(t *testing.T) {
	cfg, err := config.Parse("perfgate.yaml", []byte(shardConfig))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := caseNames(whole)
	for of := 1; of <= len(all); of++ {
		var got []string
		seeds := map[uint64]bool{}
		for i := 1; i <= of; i++ {
			s := Shard{Index: i, Of: of, Seed: 42}
			part, err := whole.Shard(s)
			if err != nil {
				t.Fatal(err)
			}
			mine := caseNames(part)
			if part.K != len(all) || len(mine) < len(all)/of || len(mine) > len(all)/of+1 {
				t.Errorf("shard %d/%d: K = %d, cases %q", i, of, part.K, mine)
			}
			for _, k := range part.Kernels {
				if len(k.Measured) == 0 {
					t.Errorf("shard %d/%d builds %s for nothing", i, of, k.Kernel.Name)
				}
			}
			seeds[s.OwnSeed()] = true
			got = append(got, mine...)
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(all)); !slices.Equal(got, want) {
			t.Errorf("%d shards hold %q, the plan %q", of, got, want)
		}
		if len(seeds) != of {
			t.Errorf("%d shards have %d seeds", of, len(seeds))
		}
	}
	if !slices.Equal(caseNames(whole), all) {
		t.Error("cutting a plan changed it")
	}
	if _, err := whole.Shard(Shard{Index: 9, Of: 9}); err == nil || !strings.Contains(err.Error(), "8 measured cases") {
		t.Errorf("err = %v", err)
	}
}

func TestParseShard(t *testing.T) {
	for _, bad := range []string{"", "1", "0/3", "4/3", "-1/3", "1/0", "a/b", "1/2/3", "1/9999", "1 / 3"} {
		if s, err := ParseShard(bad); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", bad)) {
			t.Errorf("%q: %+v, %v", bad, s, err)
		}
	}
	if s, err := ParseShard("2/3"); err != nil || s.Index != 2 || s.Of != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}
