package observe

import (
	"slices"
	"testing"
)

// What several trees asked for is what any of them did, and as incomplete as the least that was seen.
func TestUnionOfReports(t *testing.T) {
	one := Report{Paths: []Access{{"/b", Opened}, {"/c", Listed}}, Requests: 2, Incomplete: []Reason{{Kind: Connections, Detail: "first", Times: 1}}}
	two := Report{Paths: []Access{{"/a", Made}, {"/b", LookedUp}}, Requests: 3, Incomplete: []Reason{{Kind: Unread, Times: 1}, {Kind: Connections, Detail: "second", Times: 2}}}
	all := Union(one, two)
	if !slices.Equal(all.Paths, []Access{{"/a", Made}, {"/b", Opened | LookedUp}, {"/c", Listed}}) || all.Requests != 5 {
		t.Errorf("%+v", all)
	}
	if !slices.Equal(all.Incomplete, []Reason{{Kind: Unread, Times: 1}, {Kind: Connections, Detail: "first", Times: 3}}) || one.Incomplete[0].Times != 1 {
		t.Errorf("%+v", all.Incomplete)
	}
}
