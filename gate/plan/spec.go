package plan

import "github.com/org/perfgate/kernels"

// Spec is the case as a runner sees it.
func (c Case) Spec() kernels.CaseSpec {
	spec := kernels.CaseSpec{Kernel: c.Kernel, Params: []kernels.CaseParam{}}
	for _, a := range c.Params {
		spec.Params = append(spec.Params, kernels.CaseParam{Name: a.Name, Text: a.Value.Text, Value: a.Value.Int})
	}
	return spec
}
