package action

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// left is what one measuring job left.
type left struct {
	name    string         // of its artifact
	machine string         // as the workflow calls it; "" where there is one
	result  *result.Result // nil if there is none
	why     string         // there is none, in the job's words
}

// handed is a result that a measuring job has left, and the machine that the workflow says it was measured on.
type handed struct {
	gate.MergeInput
	machine string
}

// inputs are those that have a result; the words of the others come back as lines.
func inputs(all []left) (in []handed, silent []string) {
	for _, l := range all {
		if l.result != nil {
			in = append(in, handed{gate.MergeInput{Name: l.name, Result: l.result}, l.machine})
			continue
		}
		silent = append(silent, fmt.Sprintf("%s: %s", l.name, cmp.Or(l.why, "its job left nothing")))
	}
	return in, silent
}

// expected are the artifacts that make one verdict, each with its name and its machine: all parts from every machine.
func (r *reporter) expected() []left {
	machines, parts := r.in.Machines, []int{0}
	if len(machines) == 0 {
		machines = []string{""}
	}
	if r.in.Shards > 0 {
		parts = nil
		for part := 1; part <= r.in.Shards; part++ {
			parts = append(parts, part)
		}
	}
	var all []left
	for _, machine := range machines {
		for _, part := range parts {
			all = append(all, left{name: ArtifactName(r.in.Key, machine, part), machine: machine})
		}
	}
	return all
}

// findParts makes the verdict of the parts that other jobs of this run left in folders, one an artifact. They ran foreign
// code: each is read strictly and decided again.
func (r *reporter) findParts(ctx context.Context) finding {
	if why, err := r.overtakenHere(ctx, r.target, r.event, r.in); err != nil || why != "" {
		return unmeasured(result.ExitNotMeasurable, cmp.Or(why, fmt.Sprint(err)))
	}
	var all []left
	for _, one := range r.expected() {
		l, err := readLeft(filepath.Join(r.in.Results, one.name), one)
		if err != nil {
			return unmeasured(result.ExitNotMeasurable, fmt.Sprintf("the result cannot be used: %s: %v", one.name, err))
		}
		all = append(all, l)
	}
	rules, err := r.rulesHere(ctx)
	if err != nil {
		return unmeasured(result.ExitUsage, err.Error())
	}
	rules.vouched = r.approval(ctx, r.client, r.event, r.in)
	return r.verdict(ctx, all, rules)
}

// readLeft reads the folder of an artifact. One that is not there is no error: its job has left nothing.
func readLeft(dir string, l left) (left, error) {
	if o, err := readOutcome(dir); err == nil {
		l.why = o.Error
	}
	data, err := readRegular(filepath.Join(dir, resultFile), maxResult)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		l.result, err = result.ReadStrictly(bytes.NewReader(data))
	}
	return l, err
}

// verdict is what the results of measuring jobs come to under the rules of the repository.
func (r *reporter) verdict(ctx context.Context, all []left, rules *rules) finding {
	in, silent := inputs(all)
	if len(in) == 0 {
		return unmeasured(result.ExitNotMeasurable, "the measuring job left no result\n"+strings.Join(silent, "\n"))
	}
	judged, err := rules.judge(in, r.in.Shards, len(r.in.Machines))
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, "the result cannot be used: "+err.Error())
	}
	res := judged.result
	if err := r.accept(ctx, res, func() *github.Approval { return rules.vouched }); err != nil {
		r.warn("whether regressions were accepted cannot be found out, so none is: %v", err)
	}
	f := finding{result: res, config: rules.config, document: report.New(res), exit: res.Conclusion.Exit, problems: gate.Problems(res.Conclusion)}
	for _, u := range judged.unproven {
		silent = append(silent, report.Unproven(u))
	}
	for _, line := range silent {
		f.document.Notes = append(f.document.Notes, report.Text{{Text: line}})
	}
	return f
}
