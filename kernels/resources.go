package kernels

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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
}

var (
	ptxasEntry  = regexp.MustCompile(`Compiling entry function '([^']+)' for '([^']+)'`)
	ptxasStack  = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	ptxasUsed   = regexp.MustCompile(`Used (\d+) registers`)
	ptxasFields = map[string]*regexp.Regexp{
		"barriers": regexp.MustCompile(`used (\d+) barriers`),
		"shared":   regexp.MustCompile(`(\d+) bytes smem`),
		"local":    regexp.MustCompile(`(\d+) bytes lmem`),
		"constant": regexp.MustCompile(`(\d+) bytes cmem\[0\]`),
	}
)

// parsePtxas reads what `ptxas -v` says. Lines about a kernel follow the line that names it; those about device functions
// that were not inlined have no "Used" line and no entry, and are passed over.
func parsePtxas(text string) []Resource {
	var all []Resource
	var current *Resource
	properties := ""
	for _, line := range strings.Split(text, "\n") {
		if m := ptxasEntry.FindStringSubmatch(line); m != nil {
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
		if m := ptxasStack.FindStringSubmatch(line); m != nil && (properties == current.Function || properties == "") {
			current.StackBytes, current.SpillStoreBytes, current.SpillLoadBytes = number(m[1]), number(m[2]), number(m[3])
		}
		if m := ptxasUsed.FindStringSubmatch(line); m != nil {
			current.Registers = number(m[1])
			current.Barriers = field(line, "barriers")
			current.SharedBytes = field(line, "shared")
			current.LocalBytes = field(line, "local")
			current.ConstantBytes = field(line, "constant")
			current, properties = nil, ""
		}
	}
	return all
}

func field(line, name string) int {
	m := ptxasFields[name].FindStringSubmatch(line)
	if m == nil {
		return 0
	}
	return number(m[1])
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // digits by the pattern; an absurd number of them is as good as none
	return n
}

var (
	dumpArch     = regexp.MustCompile(`(?m)^arch = (sm_\w+)`)
	dumpFunction = regexp.MustCompile(`^ *Function ([^:]+):`)
	dumpValue    = regexp.MustCompile(`([A-Z]+)(?:\[0\])?:(\d+)`)
)

// parseResourceDump reads `cuobjdump --dump-resource-usage`.
func parseResourceDump(text string) []Resource {
	var all []Resource
	arch, function := "", ""
	for _, line := range strings.Split(text, "\n") {
		if m := dumpArch.FindStringSubmatch(line); m != nil {
			arch = m[1]
		}
		if m := dumpFunction.FindStringSubmatch(line); m != nil {
			function = m[1]
			continue
		}
		if function == "" || !strings.Contains(line, "REG:") {
			continue
		}
		r := Resource{Function: function, Arch: arch}
		for _, m := range dumpValue.FindAllStringSubmatch(line, -1) {
			switch m[1] {
			case "REG":
				r.Registers = number(m[2])
			case "STACK":
				r.StackBytes = number(m[2])
			case "SHARED":
				r.SharedBytes = number(m[2])
			case "LOCAL":
				r.LocalBytes = number(m[2])
			case "CONSTANT":
				r.ConstantBytes = number(m[2])
			}
		}
		all = append(all, r)
		function = ""
	}
	return all
}

func resourcesPath(library string) string {
	return filepath.Join(filepath.Dir(library), "resources.json")
}

// keepResources reads the reports of the units in out and keeps them beside the library's place in the cache, for whoever
// finds the library there.
func keepResources(out string, units int, library string) ([]Resource, error) {
	all := []Resource{}
	for i := range units {
		said, err := os.ReadFile(usagePath(out, i))
		if err != nil {
			return nil, fmt.Errorf("read what the compiler said: %w", err)
		}
		all = append(all, parsePtxas(string(said))...)
	}
	b, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	made := filepath.Join(out, "resources.json")
	if err := os.WriteFile(made, b, 0o644); err != nil {
		return nil, fmt.Errorf("keep what the compiler said: %w", err)
	}
	return all, publish(made, resourcesPath(library))
}

// readResources is nil for a library of the CPU, which has none.
func readResources(library string) ([]Resource, error) {
	b, err := os.ReadFile(resourcesPath(library))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Resource
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("read %s: %w", resourcesPath(library), err)
	}
	return all, nil
}
