package main

import (
	"cmp"
	"strings"

	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/pipeline"
)

var sandboxModes = []string{pipeline.SandboxAuto, pipeline.SandboxOn, pipeline.SandboxOff}

func sandboxFlag(flags *pflag.FlagSet, to *string) {
	flags.StringVar(to, "sandbox", pipeline.SandboxAuto,
		"keep builds and kernels from files, network and processes of others: auto (as far as the kernel can, build.command only with --trust=base), on (everything, or no run) or off")
}

// sandboxMode checks the flag; commands without one have it on auto.
func sandboxMode(flag string) (string, error) {
	mode := cmp.Or(flag, pipeline.SandboxAuto)
	for _, known := range sandboxModes {
		if mode == known {
			return mode, nil
		}
	}
	return "", usagef("--sandbox %q is not one of %s", flag, strings.Join(sandboxModes, ", "))
}
