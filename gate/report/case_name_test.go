package report

import "testing"

// A case of the host has the parameters of the case that it is of, and its row says which it is.
func TestRowsOfHostAreNamedApart(t *testing.T) {
	of, host := caseName("k/n=1"), caseName("k/n=1/host")
	if len(host.Params) != len(of.Params)+1 || host.Params[1].String() != "host" {
		t.Errorf("%+v beside %+v", host, of)
	}
}
