package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
)

// ownSurroundings is a *checkout.Lead where base's policy rules and something of the checkout lies on the way of what both sides run: a variable
// of the environment, the cache, a compiler, an interpreter, what a command names. Where nothing is built nothing is asked.
func (o Question) ownSurroundings(p *plan.Plan) error {
	if !o.Trusted.AsksBase() || unwatched(o) != nil {
		return nil
	}
	in := o.changeable()
	leads := []*checkout.Lead{in.Environment(os.Environ())}
	see := func(lead *checkout.Lead) { leads = append(leads, lead) }
	if o.Cache != "" { // base's builds, and what measures both sides, are taken from there
		see(in.Folder("PERFGATE_CACHE", o.Cache))
	}
	host, _ := kernels.CompilerPaths(kernels.CPU) // found without a variable, too; where one is missing, looking for it says so
	cuda, _ := kernels.CompilerPaths(kernels.Target{Device: config.DeviceCUDA})
	for _, program := range nonEmpty(append(host, cuda...)...) {
		see(in.Path("the compiler", program))
	}
	for _, k := range p.Kernels { // base's commands and flags are run for both sides
		texts := append(k.Kernel.Commands(), config.Command{Key: "flags", Line: strings.Join(k.Kernel.Flags, "\n")})
		if e := o.Trusted.Config.EnvironmentOf(k.Kernel); e != nil {
			texts = append(texts, config.Command{Key: "environment", Line: e.Fetch + "\n" + e.Build})
		}
		for _, text := range texts {
			see(in.Mentioned("kernel "+k.Kernel.Name+": "+text.Key, text.Line))
		}
	}
	if names := interpreterNames(o, p); len(names) > 0 || buildsByCommand(p) {
		for _, name := range names {
			if path := kernels.InterpreterPath(name, o.Desk); filepath.IsAbs(path) { // else it is looked for on the PATH
				see(in.Path("python: "+name, path))
			}
		}
		for _, folder := range filepath.SplitList(os.Getenv("PATH")) { // what interpreters import by themselves
			for _, name := range []string{"python", "python3"} {
				program := filepath.Join(folder, name)
				if _, err := os.Stat(program); err == nil {
					see(in.Python(program))
				}
			}
		}
	}
	for _, lead := range leads {
		if lead != nil {
			return lead
		}
	}
	return nil
}

// changeable are the folders that a change could write to: head's, and those of the checkout where the run was started in one.
func (o Question) changeable() checkout.Checkout {
	return checkout.In(o.Head.root(), checkout.Around(o.Checkout))
}

// ownPython looks at an interpreter that was found, and at what it imports by itself: a shim may have led anywhere.
func (o Question) ownPython(name string, python kernels.Interpreter) error {
	if !o.Trusted.AsksBase() {
		return nil
	}
	in := o.changeable()
	if lead := in.Path("python: "+name, python.Path); lead != nil {
		return lead
	}
	packages := slices.DeleteFunc(slices.Clone(python.Folders), func(folder string) bool { return !strings.HasSuffix(folder, "-packages") })
	if lead := in.Python(python.Path, packages...); lead != nil {
		return lead
	}
	return nil
}
