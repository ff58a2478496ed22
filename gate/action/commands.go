package action

import (
	"regexp"
	"strings"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// digits are what a seed is made of.
var digits = regexp.MustCompile(`^[0-9]{1,20}$`)

// ownCommands puts command lines of ours in the place of those that a result brings: it comes from a job that ran foreign code, and people
// paste them into a shell. They are made of what the event and the repository say. own says that head's configuration rules.
func ownCommands(res *result.Result, c change, in Inputs, own bool) {
	words := []string{"--config=" + kernels.ShellWord(in.Config), "--base=" + kernels.ShellWord(c.base), "--head=" + kernels.ShellWord(c.head)}
	if !own {
		words = append(words, "--trust="+repo.TrustBase)
	}
	sides := strings.Join(words, " ")
	if len(in.Kernels) > 0 {
		words = append(words, "--kernel="+kernels.ShellWord(strings.Join(in.Kernels, ",")))
	}
	if in.Tolerance != "" {
		words = append(words, "--tolerance="+kernels.ShellWord(in.Tolerance))
	}
	res.Repro = ""
	if len(res.Merged) == 0 && digits.MatchString(res.Seed) {
		res.Repro = "perfgate run " + strings.Join(append(words, "--seed="+res.Seed), " ")
	}
	for i := range res.Kernels {
		k := &res.Kernels[i]
		f := k.Parity.Failure
		if f == nil {
			continue
		}
		if f.Repro = ""; digits.MatchString(f.Seed) {
			f.Repro = "perfgate parity " + sides + " --kernel=" + kernels.ShellWord(k.Name) + " --param=" + kernels.ShellWord(result.ParseCaseID(f.Case).Short()) + " --seed=" + f.Seed
		}
	}
}
