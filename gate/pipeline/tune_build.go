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

// build makes the library of every setting, as many at once as there are processors. Settings that build to the same code are one.
func (t *tuning) build(ctx context.Context) error {
	k := t.kernel.Plan.Kernel
	settings := k.Settings()
	built, err := t.compile(ctx, settings)
	if err != nil {
		return err
	}
	t.add(result.TunedSetting{Text: "shipped", Status: result.TunedMeasured}, t.kernel.Head.Library)
	first := map[string]int{t.kernel.Head.Library.Fingerprint: 0}
	for i, b := range built {
		one := result.TunedSetting{Values: settingValues(k, settings[i]), Text: k.SettingText(settings[i]), Status: result.TunedMeasured}
		if b.Record.Failed {
			one.Status, one.Reason, one.Output = result.TunedBroken, result.Message("it does not build"), b.Record.Output
		} else {
			if at, known := first[b.Library.Fingerprint]; known {
				one.Status, one.SameAs = result.TunedSame, at
			} else {
				first[b.Library.Fingerprint] = len(t.found.Settings)
			}
			if err := t.limit(&one, b); err != nil {
				return err
			}
		}
		t.add(one, b.Library)
	}
	return nil
}

// compile builds every setting. A build command works in the tree, where there is room for one.
func (t *tuning) compile(ctx context.Context, settings []config.Setting) ([]Build, error) {
	k := t.kernel.Plan.Kernel
	most := runtime.NumCPU()
	if k.Build != nil {
		most = 1
	}
	built := make([]Build, len(settings))
	done := counted(t.opt.Progress, Progress{Stage: StageBuild, What: k.Name + ", every setting", Total: len(settings)})
	err := atOnce(len(settings), most, func(i int) (err error) {
		defer done(1, 0)
		lib, err := t.workshop.builder.Build(ctx, t.spec(settings[i]))
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

func (t *tuning) add(one result.TunedSetting, lib kernels.Library) {
	path := ""
	if one.Status == result.TunedMeasured {
		path, t.built = lib.Path, append(t.built, lib)
	}
	if one.Values == nil {
		one.Values = map[string]string{}
	}
	t.found.Settings, t.libraries = append(t.found.Settings, one), append(t.libraries, path)
}

// limit ends a setting that breaks a resource limit of the kernel.
func (t *tuning) limit(one *result.TunedSetting, b Build) error {
	k := t.kernel
	k.Head = b
	_, ended, err := withinLimits(t.device.target)(k)
	if err == nil && ended != nil {
		one.Status, one.Reason = result.TunedBroken, result.Message("it breaks a resource limit of the configuration")
	}
	return err
}

// spec says what a setting is built from: what head is, with its values as macros, or for a command and an interpreter in
// the environment, or in the place of constants.
func (t *tuning) spec(s config.Setting) kernels.BuildSpec {
	spec := t.workshop.spec(t.kernel, t.opt.Head)
	spec.Flags = slices.Clone(spec.Flags)
	var constants []string
	for i, knob := range t.kernel.Plan.Kernel.Tune {
		switch {
		case knob.IsConstant():
			constants = append(constants, knob.Name+"="+s[i])
		case spec.Python != nil || spec.Command != "":
			spec.Variables = append(spec.Variables, "PERFGATE_TUNE_"+knob.Name+"="+s[i])
		default:
			spec.Flags = append(spec.Flags, "-D"+knob.Name+"="+s[i])
		}
	}
	if len(constants) > 0 {
		spec.Variables = append(spec.Variables, "PERFGATE_CONSTANTS="+strings.Join(constants, "\n")) // read by kernels/python/perfgate/_constants.py
	}
	return spec
}

func settingValues(k config.Kernel, s config.Setting) map[string]string {
	out := map[string]string{}
	for i, knob := range k.Tune {
		out[knob.Name] = s[i]
	}
	return out
}
