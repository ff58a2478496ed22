package profile

import (
	"strings"

	"github.com/org/perfgate/gate/text"
)

var (
	sassFunction    = text.Pattern(`^\s*Function : (\S+)`)
	sassInstruction = text.Pattern(`^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_]*)((?:\.[A-Za-z0-9_]+)*)`)
)

// Mix counts the instructions of each class.
type Mix map[string]int

// parseSASS reads `cuobjdump -sass`: the instructions of every function by class.
func parseSASS(text string) map[string]Mix {
	all := map[string]Mix{}
	function := ""
	for line := range strings.Lines(text) {
		if m := sassFunction().FindStringSubmatch(line); m != nil {
			function = m[1]
			if all[function] == nil {
				all[function] = Mix{}
			}
			continue
		}
		if function == "" {
			continue
		}
		if m := sassInstruction().FindStringSubmatch(line); m != nil {
			all[function][class(m[1], m[2])]++
		}
	}
	return all
}

// families are opcodes by the start of their names; the first that fits counts.
var families = []struct{ opcode, class string }{
	{"HGMMA", "tensor"}, {"IGMMA", "tensor"}, {"QGMMA", "tensor"}, {"BGMMA", "tensor"}, {"HMMA", "tensor"}, {"IMMA", "tensor"}, {"DMMA", "tensor"},
	{"BMMA", "tensor"}, {"QMMA", "tensor"}, {"OMMA", "tensor"}, {"UTCHMMA", "tensor"}, {"UTCQMMA", "tensor"}, {"UTCIMMA", "tensor"},
	{"LDGSTS", "asynchronous copy"}, {"UTMA", "asynchronous copy"}, {"UBLKCP", "asynchronous copy"},
	{"LDSM", "shared load"}, {"LDS", "shared load"}, {"STSM", "shared store"}, {"STS", "shared store"},
	{"LDL", "local memory"}, {"STL", "local memory"},
	{"ATOM", "atomic"}, {"RED", "atomic"}, {"SHFL", "shuffle"}, {"BAR", "barrier"}, {"MUFU", "special function"},
	{"FFMA", "float32"}, {"FADD", "float32"}, {"FMUL", "float32"}, {"DFMA", "float64"}, {"DADD", "float64"}, {"DMUL", "float64"},
	{"HFMA2", "float16"}, {"HADD2", "float16"}, {"HMUL2", "float16"}, {"BRA", "branch"}, {"BSSY", "branch"}, {"BSYNC", "branch"}, {"CALL", "branch"},
}

// class sorts an instruction. Loads and stores of global memory are told apart by their width, since a lost vector load is
// a usual reason of a slowdown.
func class(opcode, modifiers string) string {
	switch opcode {
	case "LDG", "LD":
		return "load " + bits(modifiers) + " bit"
	case "STG", "ST":
		return "store " + bits(modifiers) + " bit"
	}
	for _, f := range families {
		if strings.HasPrefix(opcode, f.opcode) {
			return f.class
		}
	}
	return "other"
}

func bits(modifiers string) string {
	for _, m := range strings.Split(modifiers, ".") {
		switch m {
		case "128", "64", "256":
			return m
		case "U8", "S8":
			return "8"
		case "U16", "S16":
			return "16"
		}
	}
	return "32"
}
