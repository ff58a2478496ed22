package run

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// build makes the library of every configuration, as many at once as there are processors. Configurations that build to the same code are one.
func (t *tuning) build(ctx context.Context) error {
	k := t.kernel.Plan.Kernel
	configurations := k.Configurations()
	built, err := t.compile(ctx, configurations)
	if err != nil {
		return err
	}
	t.tried = []tried{{Library: t.kernel.Head.Library}}
	first := map[string]result.Variant{t.kernel.Head.Library.Fingerprint: result.VariantHead}
	for i, b := range built {
		one := tried{result.Configuration{Name: k.ConfigurationText(configurations[i]), Build: b.Record}, b.Library}
		for at, parameter := range k.Tune {
			one.Values = append(one.Values, result.Param{Name: parameter.Name, Value: configurations[i][at]})
		}
		same, known := first[b.Library.Fingerprint]
		switch limited, err := t.limited(b); {
		case err != nil:
			return err
		case b.Record.Failed:
			one.Reason = result.Message("it does not build")
		case limited:
			one.Reason = result.Message("it breaks a resource limit of the configuration")
		case known:
			one.SameAs = &same
		default:
			first[b.Library.Fingerprint] = one.variant()
		}
		t.tried = append(t.tried, one)
	}
	return nil
}

// limited says whether a build breaks a resource limit of its kernel.
func (t *tuning) limited(b Build) (bool, error) {
	if b.Record.Failed {
		return false, nil
	}
	k := t.kernel
	k.Head = b
	k, ended, err := withinLimits(t.device.target)(k)
	return ended != nil || len(k.Limits) > 0, err
}

// compile builds every configuration. A build command works in the tree, where there is room for one.
func (t *tuning) compile(ctx context.Context, configurations []config.Configuration) ([]Build, error) {
	k := t.kernel.Plan.Kernel
	most := runtime.NumCPU()
	if k.Build != nil {
		most = 1
	}
	built := make([]Build, len(configurations))
	done := counted(t.opt.Progress, Progress{Stage: StageBuild, What: k.Name + ", every configuration", Total: len(configurations)})
	var err error
	if failed := t.turns.offDevice(ctx, func() {
		err = child.Each(len(configurations), most, func(i int, _ []int) (_ bool, err error) {
			defer done(1, 0)
			lib, err := t.workshop.builder.Build(ctx, t.spec(configurations[i]))
			built[i], err = builtAs(lib, err, "")
			return false, err
		})
	}); failed != nil {
		return nil, failed
	}
	if err != nil || k.Build == nil {
		return built, err
	}
	lib, err := t.workshop.make(ctx, t.workshop.spec(t.kernel, t.opt.Head)) // the tree is left as it was: with what is shipped
	_, err = builtAs(lib, err, "")
	return built, err
}

// spec says what a configuration is built from: what head is, with its values as macros, or for a command and an interpreter in
// the environment, or in the place of constants.
func (t *tuning) spec(s config.Configuration) kernels.BuildSpec {
	spec := t.workshop.spec(t.kernel, t.opt.Head)
	spec.Flags = slices.Clone(spec.Flags)
	var constants []string
	for i, parameter := range t.kernel.Plan.Kernel.Tune {
		switch {
		case parameter.IsConstant():
			constants = append(constants, parameter.Name+"="+s[i])
		case spec.Python != nil || spec.Command != "":
			spec.Variables = append(spec.Variables, "PERFGATE_TUNE_"+parameter.Name+"="+s[i])
		default:
			spec.Flags = append(spec.Flags, "-D"+parameter.Name+"="+s[i])
		}
	}
	if len(constants) > 0 {
		spec.Variables = append(spec.Variables, "PERFGATE_CONSTANTS="+strings.Join(constants, "\n")) // read by kernels/python/perfgate/_constants.py
	}
	return spec
}
