package profile

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/org/perfgate/gate/text"
)

const reportSuffix = ".ncu-rep"

// ReportSuffix ends the name of a report with so many launches of a case: -x7.ncu-rep, or .ncu-rep for one.
func ReportSuffix(launches int) string {
	if launches <= 1 {
		return reportSuffix
	}
	return fmt.Sprintf("-x%d%s", launches, reportSuffix)
}

var severalLaunches = text.Pattern(`-x([1-9][0-9]?)` + regexp.QuoteMeta(reportSuffix) + `$`)

// LaunchesOf is how many launches of a case a report has, by its name.
func LaunchesOf(path string) int {
	if m := severalLaunches().FindStringSubmatch(path); m != nil {
		n, _ := strconv.Atoi(m[1]) // one or two digits
		return n
	}
	return 1
}
