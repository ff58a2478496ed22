package result

import (
	"cmp"
	"slices"
	"strings"
)

// CaseID is what every package calls a case by: a kernel, and one assignment of its parameters in declared order or, of a benchmark, a row that it calls
// as it likes.
type CaseID struct {
	Kernel string
	Params []Param
	Row    string // without Params
	Host   bool   // what a launch of the case costs the host
}

// hostSuffix ends the name of a case of the host: softmax/N=4096/host.
const hostSuffix = "/host"

// ParseCaseID takes the name of a case apart. An assignment alone, such as B=32,H=8, has no kernel.
func ParseCaseID(name string) CaseID {
	kernel, args, found := strings.Cut(name, "/")
	switch {
	case !found && strings.Contains(name, "="):
		kernel, args = "", name
	case !found:
		return CaseID{Kernel: name}
	case args == hostSuffix[1:]:
		return CaseID{Kernel: kernel, Host: true}
	}
	id := CaseID{Kernel: kernel}
	words, isHost := strings.CutSuffix(args, hostSuffix)
	for part := range strings.SplitSeq(words, ",") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return CaseID{Kernel: kernel, Row: args}
		}
		id.Params = append(id.Params, Param{Name: key, Value: value})
	}
	id.Host = isHost
	return id
}

// String is the name: attention/B=32,H=8,S=512,D=64,causal=0. A kernel without parameters has one case, called like the kernel.
func (id CaseID) String() string {
	parts := []string{id.Kernel, id.Args(), ""}
	if id.Host {
		parts[2] = hostSuffix[1:]
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "/")
}

// Args tells the case from others of its kernel, in the form that --param takes: B=32,H=8,S=512,D=64,causal=0. It does not say whether it is of the host.
func (id CaseID) Args() string {
	if id.Row != "" {
		return id.Row
	}
	parts := make([]string, len(id.Params))
	for i, p := range id.Params {
		parts[i] = p.String()
	}
	return strings.Join(parts, ",")
}

// Short is the name without the kernel, or that alone.
func (id CaseID) Short() string {
	return cmp.Or(CaseID{Params: id.Params, Row: id.Row, Host: id.Host}.String(), id.Kernel)
}

// String is an assignment: B=32. A value may stand alone.
func (p Param) String() string {
	if p.Name == "" {
		return p.Value
	}
	return p.Name + "=" + p.Value
}
