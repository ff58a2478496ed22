package parity

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
)

// relations are what the configuration says that the kernel's outputs obey.
func (c *check) relations() []config.Relation { return c.rules().Metamorphic }

// checkRelations compares a case with every declared relation, and puts the first that is broken into f.
func (c *check) checkRelations(ctx context.Context, fuzz plan.FuzzCase, spec kernels.SpecReply, f *finding) error {
	for _, rel := range c.relations() {
		r, asked, err := c.relate(ctx, fuzz, spec, rel, f.args)
		if err != nil {
			return err
		}
		if !asked {
			continue
		}
		if !r.Passed {
			f.reply = r
			f.code, f.message = result.CodeRelation, fmt.Sprintf("%s does not hold: %s", rel, Describe(r))
			return nil
		}
		if c.out.Oracle == OracleRelations {
			r.Elements += f.reply.Elements
			r.Same = f.reply.Same
			f.reply = r
		}
	}
	return nil
}

// relate asks about one relation; split needs a case that can be split.
func (c *check) relate(ctx context.Context, fuzz plan.FuzzCase, spec kernels.SpecReply, rel config.Relation, args command) (reply, bool, error) {
	var r reply
	args.Twice = false // the first launch was
	if rel.Kind == config.RelationSplit {
		return c.split(ctx, fuzz, spec, rel.Over[0], args)
	}
	args.Oracle, args.Relation, args.Tensors = "relation", rel.Kind, strings.Join(rel.Over, ",")
	if c.isJudged() {
		r, _, err := c.deliver(ctx, fuzz.Case.Name(), args, "", OracleRelation)
		return r, true, err
	}
	return r, true, c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &r, c.patience())
}

// split compares the first half of a case with that half computed alone. An element of an input depends on its flat index
// and nothing else, so where the parameter is dimension 0 of the tensors, the smaller case has the same inputs.
func (c *check) split(ctx context.Context, fuzz plan.FuzzCase, spec kernels.SpecReply, param string, args command) (reply, bool, error) {
	var r reply
	half, ok := halved(fuzz.Case, param)
	if !ok {
		return r, false, nil
	}
	if i := slices.IndexFunc(spec.Tensors, func(t kernels.Tensor) bool { return t.Fill == kernels.FillCustom }); i >= 0 {
		return r, false, &kernels.RunnerError{Code: result.CodeBadCommand, Message: fmt.Sprintf(
			"relation split(%s) does not fit tensor %q: pg_fill makes it, and half of a case need not begin with the same values", param, spec.Tensors[i].Name)}
	}
	given, made, err := DeliveryFolders(c.opt.Scratch)
	if err != nil {
		return r, false, err
	}
	path, cut := filepath.Join(made, "whole.bin"), filepath.Join(given, "half.bin")
	defer os.Remove(path)
	defer os.Remove(cut)
	whole := args
	whole.Oracle, whole.Dump = "none", path
	if err := c.head.Call(ctx, "parity", fuzz.Case.Name(), whole, nil, c.patience()); err != nil {
		return r, false, err
	}
	part, err := c.specFor(ctx, half.Name(), half.Spec())
	if err != nil {
		return r, false, err
	}
	if err := cutOutputs(path, cut, spec, part); err != nil {
		return r, false, err
	}
	args.Case, args.Oracle, args.Expect = half.Spec(), "file", cut
	if c.isJudged() {
		r, _, err := c.deliver(ctx, half.Name(), args, cut, OracleFile)
		return r, true, err
	}
	return r, true, c.head.Call(ctx, "parity", half.Name(), args, &r, c.patience())
}

// halved is the case with half of a parameter; not where there is nothing to halve.
func halved(whole plan.Case, param string) (plan.Case, bool) {
	for i, a := range whole.Params {
		if a.Name == param && !a.Value.IsDtype() && a.Value.Int > 1 {
			return whole.With(i, config.IntValue(a.Value.Int/2)), true
		}
	}
	return whole, false
}

func elements(t kernels.Tensor) int64 {
	n := int64(1)
	for _, s := range t.Shape {
		n *= s
	}
	return n
}

// cutOutputs shortens a file of outputs, float64 in the order of the spec, to the beginnings that a smaller case has.
func cutOutputs(path, to string, whole, part kernels.SpecReply) error {
	f, err := untrusted.Open(path, untrusted.NoLimit) // head could have made anything of it: a link, a pipe, something endless
	if err != nil {
		return fmt.Errorf("read outputs: %w", err)
	}
	defer f.Close()
	most := int64(0)
	for _, t := range whole.Tensors {
		if t.IsOutput() {
			most += 8 * elements(t)
		}
	}
	all, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return fmt.Errorf("read outputs: %w", err)
	}
	var kept []byte
	at := int64(0)
	for i, t := range whole.Tensors {
		if !t.IsOutput() {
			continue
		}
		n := 8 * elements(t)
		if i >= len(part.Tensors) || at+n > int64(len(all)) {
			return fmt.Errorf("the outputs of a split case do not fit together")
		}
		kept = append(kept, all[at:at+min(n, 8*elements(part.Tensors[i]))]...)
		at += n
	}
	return os.WriteFile(to, kept, 0o600)
}
