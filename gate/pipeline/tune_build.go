package pipeline

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
	t.add(result.TunedConfiguration{Text: "shipped", Status: result.TunedMeasured}, t.kernel.Head.Library)
	first := map[string]int{t.kernel.Head.Library.Fingerprint: 0}
	for i, b := range built {
		one := result.TunedConfiguration{Values: settingValues(k, configurations[i]), Text: k.ConfigurationText(configurations[i]), Status: result.TunedMeasured}
		if b.Record.Failed {
			one.Status, one.Reason, one.Output = result.TunedBroken, result.Message("it does not build"), b.Record.Output
		} else {
			if at, known := first[b.Library.Fingerprint]; known {
				one.Status, one.SameAs = result.TunedSame, at
			} else {
				first[b.Library.Fingerprint] = len(t.found.Configurations)
			}
			if err := t.limit(&one, b); err != nil {
				return err
			}
		}
		t.add(one, b.Library)
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

func (t *tuning) add(one result.TunedConfiguration, lib kernels.Library) {
	path := ""
	if one.Status == result.TunedMeasured {
		path, t.built = lib.Path, append(t.built, lib)
	}
	if one.Values == nil {
		one.Values = map[string]string{}
	}
	t.found.Configurations, t.libraries = append(t.found.Configurations, one), append(t.libraries, path)
}

// limit ends a configuration that breaks a resource limit of the kernel.
func (t *tuning) limit(one *result.TunedConfiguration, b Build) error {
	k := t.kernel
	k.Head = b
	_, ended, err := withinLimits(t.device.target)(k)
	if err == nil && ended != nil {
		one.Status, one.Reason = result.TunedBroken, result.Message("it breaks a resource limit of the configuration")
	}
	return err
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

func settingValues(k config.Kernel, s config.Configuration) map[string]string {
	out := map[string]string{}
	for i, parameter := range k.Tune {
		out[parameter.Name] = s[i]
	}
	return out
}
