package rule

import "github.com/org/perfgate/gate/result"

// environments notes that the sides of a kernel have different environments. Where nothing else differs, that is why its cases are slower: one package is
// named as the reason only if it alone differs.
func (v *collector) environments(k result.Kernel) {
	e := k.Environment
	if e == nil {
		return
	}
	why := result.Reason{Kind: result.ReasonEnvironments, Names: e.Changes(), Count: e.Count}
	v.add(result.Finding{Kind: result.FindingEnvironment, Kernel: k.Name, Reason: &why})
	if !e.Only {
		return
	}
	by := why
	if by.Kind = result.ReasonByEnvironment; e.Count == 1 {
		by.Kind = result.ReasonByPackage
	}
	if v.byEnvironment == nil {
		v.byEnvironment = map[string]*result.Reason{}
	}
	v.byEnvironment[v.machine+" "+k.Name] = &by
}
