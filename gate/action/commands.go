package action

import (
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// digits are what a seed is made of.
var digits = text.Pattern(`^[0-9]{1,20}$`)

// ownCommands puts command lines of ours in the place of those that a result brings: it comes from a job that ran foreign code, and people
// paste them into a shell. They are made of what the event and the repository say. own says that head's configuration rules.
func ownCommands(res *result.Result, c change, in Inputs, own bool) {
	run := request.Run{Config: in.Config, Base: c.base, Head: c.head, Kernels: in.Kernels, Cases: in.Cases, Tolerance: in.Tolerance, Seed: res.Seed}
	if !own {
		run.Trust = repo.TrustBase
	}
	res.Repro = ""
	if len(res.Merged) == 0 && digits().MatchString(res.Seed) {
		res.Repro = request.Line("run", request.TargetsOf(&run))
	}
	for _, k := range res.Kernels {
		f := k.Parity.Failure
		if f == nil {
			continue
		}
		if f.Repro = ""; digits().MatchString(f.Seed) {
			run.Kernels, run.Cases, run.Seed = []string{k.Name}, nil, f.Seed
			replay := request.TargetsOf(&run)
			replay["param"] = &[]string{result.ParseCaseID(f.Case).Short()}
			f.Repro = request.Line("parity", replay)
		}
	}
}
