package profile

import (
	"io"
	"strconv"
)

// maxRules bounds what is kept: real reports have some thirty to a kernel.
const maxRules = 10_000

// ParseDetails reads the rules of `ncu --import … --csv --page details --print-details all`. Rows are of different lengths
// there, and tables of other shape (NVLink, NUMA) lie between them. Exports of versions before rules were part of the CSV
// have none.
func ParseDetails(r io.Reader) ([]Rule, error) {
	t, err := openTable(r)
	if err != nil {
		return nil, err
	}
	var rules []Rule
	for {
		row, err := t.next()
		if err != nil || row == nil {
			return rules, err
		}
		id, err := strconv.Atoi(t.cell(row, "ID"))
		if err != nil || t.cell(row, "Rule Name") == "" {
			continue
		}
		if len(rules) == maxRules {
			return nil, t.errorf("more than " + strconv.Itoa(maxRules) + " rules")
		}
		rule := Rule{
			Kernel: id, Section: t.cell(row, "Section Name"), Name: t.cell(row, "Rule Name"), Type: t.cell(row, "Rule Type"),
			Text: t.cell(row, "Rule Description"), SpeedupType: t.cell(row, "Estimated Speedup Type"),
		}
		if percent, ok := number(t.cell(row, "Estimated Speedup")); ok {
			rule.Speedup = percent / 100
		}
		rules = append(rules, rule)
	}
}
