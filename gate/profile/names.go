package profile

import (
	"strconv"

	"github.com/org/perfgate/gate/text"
)

// withoutDigests is a mangled name without what nvcc calls a namespace that has no name: a digest of the file's text is in it,
// which two versions of a file do not share. In its place stands what other compilers call it.
func withoutDigests(mangled string) string {
	at := unnamed().FindStringSubmatchIndex(mangled)
	if at == nil {
		return mangled
	}
	length, err := strconv.Atoi(mangled[at[2]:at[3]])
	if err != nil || at[3]+length > len(mangled) {
		return mangled
	}
	return mangled[:at[2]] + "12_GLOBAL__N_1" + mangled[at[3]+length:]
}

// Source: what nvcc 11.8 and 13.0 make of namespaces without a name, such as 41_GLOBAL__N__3348aca9_9_basics_cu_a58263c8 and
// 35_GLOBAL__N__a7ac0bb9_5_st_cu__Z1fPf.
var unnamed = text.Pattern(`(\d+)_GLOBAL__N__[0-9a-f]{8}_`)
