package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
)

// ownSurroundings is a *checkout.Lead where base's policy rules and something of the checkout lies on the way of what both sides run: a variable
// of the environment, the cache, a compiler, an interpreter, what a command names. Where nothing is built nothing is asked.
func (o Options) ownSurroundings(p *plan.Plan) error {
	if !o.Trusted.AsksBase() || unwatched(o, p) != nil {
		return nil
	}
	in := o.changeable()
	looks := []func() *checkout.Lead{
		func() *checkout.Lead { return in.Environment(os.Environ()) },
		func() *checkout.Lead { return o.ownCache(in) },
		func() *checkout.Lead { return ownCompilers(in) },
		func() *checkout.Lead { return ownCommands(in, p) },
	}
	names := interpreterNames(o, p)
	if buildsByCommand(p) || len(names) > 0 {
		looks = append(looks, func() *checkout.Lead { return o.ownNames(in, names) }, func() *checkout.Lead { return ownPythons(in) })
	}
	for _, look := range looks {
		if lead := look(); lead != nil {
			return lead
		}
	}
	return nil
}

// changeable are the folders that a change could write to: head's, and those of the checkout where the run was started in one.
func (o Options) changeable() checkout.Checkout {
	return checkout.In(o.Head.root(), repo.Checkout(o.Checkout))
}

// ownCache looks at where builds are kept: base's, and what measures both sides, are taken from there.
func (o Options) ownCache(in checkout.Checkout) *checkout.Lead {
	if o.Cache == "" {
		return nil
	}
	return in.Folder("PERFGATE_CACHE", o.Cache)
}

// ownCompilers looks at those that are found without a variable, too. Where one is missing, looking for it says so.
func ownCompilers(in checkout.Checkout) *checkout.Lead {
	host, _ := kernels.CompilerPaths(kernels.CPU)
	cuda, _ := kernels.CompilerPaths(kernels.Target{Device: config.DeviceCUDA})
	for _, program := range append(host, cuda...) {
		if program == "" {
			continue
		}
		if lead := in.Path("the compiler", program); lead != nil {
			return lead
		}
	}
	return nil
}

// ownCommands looks at what commands and flags of the configuration name: base's are run for both sides.
func ownCommands(in checkout.Checkout, p *plan.Plan) *checkout.Lead {
	for _, k := range p.Kernels {
		at := "kernel " + k.Kernel.Name + ": "
		texts := append(k.Kernel.Commands(), config.Command{Key: "flags", Line: strings.Join(k.Kernel.Flags, "\n")})
		for _, text := range texts {
			if lead := in.Mentioned(at+text.Key, text.Line); lead != nil {
				return lead
			}
		}
	}
	return nil
}

// ownNames looks at interpreters that the configuration names by a path.
func (o Options) ownNames(in checkout.Checkout, names []string) *checkout.Lead {
	for _, name := range names {
		path := kernels.InterpreterPath(name, o.Desk)
		if !filepath.IsAbs(path) { // looked for on the PATH
			continue
		}
		if lead := in.Path("python: "+name, path); lead != nil {
			return lead
		}
	}
	return nil
}

// ownPythons looks at what the interpreters of the PATH import by themselves.
func ownPythons(in checkout.Checkout) *checkout.Lead {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		for _, name := range []string{"python", "python3"} {
			program := filepath.Join(folder, name)
			if _, err := os.Stat(program); err != nil {
				continue
			}
			if lead := in.Python(program); lead != nil {
				return lead
			}
		}
	}
	return nil
}

// ownPython looks at an interpreter that was found, and at what it imports by itself: a shim may have led anywhere.
func (o Options) ownPython(name string, python kernels.Interpreter) error {
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
