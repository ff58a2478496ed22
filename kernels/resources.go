package kernels

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// Resource is what one kernel needs of a multiprocessor, as the compiler reports it.
type Resource struct {
	Function        string `json:"function"` // mangled
	Arch            string `json:"arch"`
	Registers       int    `json:"registers"` // per thread
	StackBytes      int    `json:"stackBytes"`
	SpillStoreBytes int    `json:"spillStoreBytes"`
	SpillLoadBytes  int    `json:"spillLoadBytes"`
	SharedBytes     int    `json:"sharedBytes"` // static, per block
	LocalBytes      int    `json:"localBytes,omitempty"`
	ConstantBytes   int    `json:"constantBytes"`
	Barriers        int    `json:"barriers"`
	SpillsKnown     bool   `json:"spillsKnown"` // false where only the finished library could be asked
	Adapter         bool   `json:"adapter"`     // from the adapter's own file, as its reference is; unknown, so false, of a finished library
}

var (
	ptxasEntry  = text.Pattern(`Compiling entry function '([^']+)' for '([^']+)'`)
	ptxasStack  = text.Pattern(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	ptxasUsed   = text.Pattern(`Used (\d+) registers`)
	ptxasFields = []struct {
		pattern func() *regexp.Regexp
		of      func(*Resource) *int
	}{
		{ptxasUsed, func(r *Resource) *int { return &r.Registers }},
		{text.Pattern(`used (\d+) barriers`), func(r *Resource) *int { return &r.Barriers }},
		{text.Pattern(`(\d+) bytes smem`), func(r *Resource) *int { return &r.SharedBytes }},
		{text.Pattern(`(\d+) bytes lmem`), func(r *Resource) *int { return &r.LocalBytes }},
		{text.Pattern(`(\d+) bytes cmem\[0\]`), func(r *Resource) *int { return &r.ConstantBytes }},
	}
)

// parsePtxas reads what `ptxas -v` says. Lines about a kernel follow the line that names it; those about device functions
// that were not inlined have no "Used" line and no entry, and are passed over.
func parsePtxas(text string) []Resource {
	var all []Resource
	var current *Resource
	properties := ""
	for _, line := range strings.Split(text, "\n") {
		if m := ptxasEntry().FindStringSubmatch(line); m != nil {
			all = append(all, Resource{Function: m[1], Arch: m[2], SpillsKnown: true})
			current = &all[len(all)-1]
			continue
		}
		if current == nil {
			continue
		}
		if _, of, found := strings.Cut(line, "Function properties for "); found {
			properties = strings.TrimSpace(of)
			continue
		}
		if m := ptxasStack().FindStringSubmatch(line); m != nil && (properties == current.Function || properties == "") {
			current.StackBytes, current.SpillStoreBytes, current.SpillLoadBytes = number(m[1]), number(m[2]), number(m[3])
		}
		if ptxasUsed().MatchString(line) {
			for _, f := range ptxasFields {
				if m := f.pattern().FindStringSubmatch(line); m != nil {
					*f.of(current) = number(m[1])
				}
			}
			current, properties = nil, ""
		}
	}
	return all
}

// resourcesOf are what a compiler that ended well said of the kernels of a unit.
func resourcesOf(u unit, words string) []Resource {
	all := parsePtxas(words)
	for i := range all {
		all[i].Adapter = u.adapter
	}
	return all
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // digits by the pattern; an absurd number of them is as good as none
	return n
}

var (
	dumpArch     = text.Pattern(`(?m)^arch = (sm_\w+)`)
	dumpFunction = text.Pattern(`^ *Function ([^:]+):`)
	dumpValue    = text.Pattern(`([A-Z]+)(?:\[0\])?:(\d+)`)
)

// ParseResourceDump reads what `cuobjdump --dump-resource-usage` prints.
func ParseResourceDump(text string) []Resource {
	var all []Resource
	arch, function := "", ""
	for _, line := range strings.Split(text, "\n") {
		if m := dumpArch().FindStringSubmatch(line); m != nil {
			arch = m[1]
		}
		if m := dumpFunction().FindStringSubmatch(line); m != nil {
			function = m[1]
			continue
		}
		if function == "" || !strings.Contains(line, "REG:") {
			continue
		}
		values := map[string]int{}
		for _, m := range dumpValue().FindAllStringSubmatch(line, -1) {
			values[m[1]] = number(m[2])
		}
		all = append(all, Resource{
			Function: function, Arch: arch, Registers: values["REG"], StackBytes: values["STACK"],
			SharedBytes: values["SHARED"], LocalBytes: values["LOCAL"], ConstantBytes: values["CONSTANT"],
		})
		function = ""
	}
	return all
}
