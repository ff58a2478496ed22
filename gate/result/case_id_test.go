package result

import (
	"reflect"
	"testing"
)

// TestCaseID: a name is taken apart and put together again as it was.
func TestCaseID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, short string
		want        CaseID
	}{
		{"attention/B=32,dtype=f16", "B=32,dtype=f16", CaseID{Kernel: "attention", Params: []Param{{"B", "32"}, {"dtype", "f16"}}}},
		{"attention", "attention", CaseID{Kernel: "attention"}},
		{"softmax/N=4096/host", "N=4096/host", CaseID{Kernel: "softmax", Params: []Param{{"N", "4096"}}, Host: true}},
		{"softmax/host", "host", CaseID{Kernel: "softmax", Host: true}},
		{"sum/BM_sum/1024", "BM_sum/1024", CaseID{Kernel: "sum", Row: "BM_sum/1024"}},
		{"sum/n=1,fast", "n=1,fast", CaseID{Kernel: "sum", Row: "n=1,fast"}},
		{"B=32,H=8", "B=32,H=8", CaseID{Params: []Param{{"B", "32"}, {"H", "8"}}}},
	} {
		id := ParseCaseID(c.name)
		if !reflect.DeepEqual(id, c.want) || id.String() != c.name || id.Short() != c.short {
			t.Errorf("%s: %+v, %s, %s; want %+v", c.name, id, id, id.Short(), c.want)
		}
	}
}
