package profile

import "testing"

// TestReportsSayTheirLaunches: by their names, which explain reads again.
func TestReportsSayTheirLaunches(t *testing.T) {
	for _, launches := range []int{1, 3, 7, 15} {
		if got := LaunchesOf("profiles/case2-head" + ReportSuffix(launches)); got != launches {
			t.Errorf("%d: %d", launches, got)
		}
	}
	if n := LaunchesOf("tile-x8/mine-x4.csv"); n != 1 {
		t.Errorf("an export: %d", n)
	}
}
