package run

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// build makes the library of every configuration, as many at once as there are processors. Configurations that build to the same code are one.
func (t *tuning) build(ctx context.Context) error {
	k := t.kernel.Plan.Kernel
	configurations := k.Configurations()
	built, err := t.compile(ctx, configurations)
	if err != nil {
		return err
	}
	t.found.Configurations = []result.TunedConfiguration{{Values: map[string]string{}, Text: "shipped", Status: result.TunedMeasured}}
	t.libraries, t.built = []string{t.kernel.Head.Library.Path}, []kernels.Library{t.kernel.Head.Library}
	first := map[string]int{t.kernel.Head.Library.Fingerprint: 0}
	for i, b := range built {
		one := result.TunedConfiguration{Values: map[string]string{}, Text: k.ConfigurationText(configurations[i]), Status: result.TunedMeasured}
		for at, parameter := range k.Tune {
			one.Values[parameter.Name] = configurations[i][at]
		}
		at, known := first[b.Library.Fingerprint]
		switch {
		case b.Record.Failed:
			one.Status, one.Reason, one.Output = result.TunedBroken, result.Message("it does not build"), b.Record.Output
		case known:
			one.Status, one.SameAs = result.TunedSame, at
		default:
			first[b.Library.Fingerprint] = i + 1
		}
		if !b.Record.Failed {
			limited := t.kernel
			limited.Head = b
			_, ended, err := withinLimits(t.device.target)(limited)
			if err != nil {
				return err
			}
			if ended != nil {
				one.Status, one.Reason = result.TunedBroken, result.Message("it breaks a resource limit of the configuration")
			}
		}
		path := ""
		if one.Status == result.TunedMeasured {
			path, t.built = b.Library.Path, append(t.built, b.Library)
		}
		t.found.Configurations, t.libraries = append(t.found.Configurations, one), append(t.libraries, path)
	}
	return nil
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
	err := atOnce(len(configurations), most, func(i int) (err error) {
		defer done(1, 0)
		lib, err := t.workshop.builder.Build(ctx, t.spec(configurations[i]))
		built[i], err = builtAs(lib, err, "")
		return err
	})
	if err != nil || k.Build == nil {
		return built, err
	}
	lib, err := t.workshop.builder.Build(ctx, t.workshop.spec(t.kernel, t.opt.Head)) // the tree is left as it was: with what is shipped
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
