package parity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// variation watches whether the reference looks at its inputs.
type variation struct {
	tries  int
	varied bool
	told   map[string]bool // cases that a try was about
	over   bool            // asking took too long: it is left open
}

// A right kernel may well give one output for many inputs: a softmax of one column is 1. So many cases are asked before the
// reference is called constant, and where a few do, all that there are.
const (
	variationTries = 16
	variationCases = 4 // that a failing kernel takes, unless there are fewer
	variationLimit = 15 * time.Second
)

// checkReference asks the reference about a case that passed with other inputs, until its outputs once differ.
func (c *check) checkReference(ctx context.Context, fuzz plan.FuzzCase) error {
	blunt := fuzz.Values == "zeros" || fuzz.Values == "constant"
	if c.variation.varied || c.variation.over || c.variation.tries >= variationTries || blunt {
		return nil
	}
	err := c.vary(ctx, fuzz)
	var fault *kernels.RunnerError
	switch {
	case !errors.As(err, &fault):
		return err
	case fault.Code.SparesKernel():
		return c.fault(ctx, fuzz, err, result.SideHead)
	}
	return c.failed(ctx, fuzz, fault.Code, onOtherInputs(fault), reply{})
}

// vary asks the reference about one case with two sets of inputs. What takes too long although the kernel alone does not is a
// warning, and the last question: each of them would.
func (c *check) vary(ctx context.Context, fuzz plan.FuzzCase) error {
	hasInputs := slices.ContainsFunc(c.lastSpec.Tensors, func(t kernels.Tensor) bool { return t.IsInput() && t.Bytes > 0 })
	if !c.hasReference() || !hasInputs {
		return nil
	}
	var replies [2]reply
	for i := range replies {
		var err error
		replies[i], err = c.askReference(ctx, fuzz, fuzz.Seed+uint64(i))
		var fault *kernels.RunnerError
		if errors.As(err, &fault) && fault.Code == result.CodeSlowReference {
			c.variation.over = true
			c.warn("whether pg_reference depends on its inputs is unknown: on other ones " + fault.Message)
			return nil
		}
		if err != nil {
			return err
		}
	}
	one, other := replies[0], replies[1]
	if one.OracleDigest == "" || one.InputDigest != "" && one.InputDigest == other.InputDigest {
		return nil // a runner that does not tell, or inputs that are the same for every seed
	}
	c.variation.tries++
	c.variation.told[fuzz.Case.Name()] = true
	c.variation.varied = c.variation.varied || one.OracleDigest != other.OracleDigest
	return nil
}

// askReference asks the reference about normal inputs, or the adapter's own where the kernel is not tried with those.
func (c *check) askReference(ctx context.Context, fuzz plan.FuzzCase, seed uint64) (reply, error) {
	values := "normal"
	if !c.rules().Tries(values) {
		values = config.SpecInputs
	}
	args := command{Case: fuzz.Case.Spec(), Seed: strconv.FormatUint(seed, 10), Values: values, Atol: 1, Rtol: 1, Oracle: "reference"}
	if c.isJudged() {
		return c.referenceOfJudge(ctx, fuzz, args)
	}
	var r reply
	err := c.head.Call(ctx, "parity", fuzz.Case.Name(), args, &r, c.caseLimit())
	_, err = c.blameReference(ctx, fuzz, args, err, c.caseLimit())
	return r, err
}

// onOtherInputs is the message of a fault that only the inputs of vary showed: the line that replays the case may not.
func onOtherInputs(fault *kernels.RunnerError) string {
	return fault.Brief() + "; with inputs of another seed, to see whether pg_reference depends on them"
}

// survey is what the reference, asked about several cases, showed.
type survey struct {
	constant bool     // in all cases that told anything
	cut      bool     // there are cases that were not asked about, or could not answer
	fault    *failing // what head did wrong meanwhile; ends it, and constant stays false
	drawn    bool     // fault is in a case that was not asked for
}

// surveyReference settles whether the reference looks at its inputs, where what was checked so far leaves that open: it asks
// about the cases given, those of the plan, and, since a replayed case may well be too small to tell, drawn ones; about each of
// them once before any is asked about with the inputs of another seed.
func (c *check) surveyReference(ctx context.Context, first ...plan.FuzzCase) (survey, error) {
	cases := slices.Concat(first, c.subject.Cases)
	if from := cases[0].From(); from != nil && c.subject.Replay {
		cases = append(cases, plan.Fuzz(*from, cases[0].Origin, variationTries)...)
	}
	var s survey
	cases, distinct := oneByOne(cases)
	deadline := time.Now().Add(variationLimit)
	for asked, fuzz := range cases {
		if c.variation.varied || c.variation.over || asked >= variationTries || time.Now().After(deadline) {
			s.cut = s.cut || asked < distinct
			break
		}
		err := c.vary(ctx, fuzz)
		var fault *kernels.RunnerError
		switch {
		case err == nil:
			continue
		case !errors.As(err, &fault):
			return s, err
		case !fault.Code.SparesKernel():
			s.fault = &failing{fuzz: fuzz, code: fault.Code, message: onOtherInputs(fault)}
			s.drawn = c.subject.Replay && !slices.ContainsFunc(c.subject.Cases, func(asked plan.FuzzCase) bool { return asked.Case.Name() == fuzz.Case.Name() })
			return s, nil
		}
		refused := fault.Code == result.CodeUnsupported || fault.Code == result.CodeNoReference // such a case does not exist
		s.cut = s.cut || !refused && !c.variation.told[fuzz.Case.Name()]
		if err := c.revive(ctx); err != nil {
			return s, err
		}
	}
	s.constant = !c.variation.varied && !c.variation.over && c.variation.tries > 0
	return s, nil
}

// oneByOne leaves out what was there already, and puts the first of each distinct case before those of other inputs.
func oneByOne(cases []plan.FuzzCase) (all []plan.FuzzCase, distinct int) {
	var first, repeated []plan.FuzzCase
	names, seeds := map[string]bool{}, map[uint64]bool{}
	for _, fuzz := range cases {
		switch name := fuzz.Case.Name(); {
		case !names[name]:
			first = append(first, fuzz)
		case !seeds[fuzz.Seed]:
			repeated = append(repeated, fuzz)
		}
		names[fuzz.Case.Name()], seeds[fuzz.Seed] = true, true
	}
	return append(first, repeated...), len(first)
}

// referenceIsConstant says whether a head that is wrong about a case may be right: the reference does not look at its inputs.
// A few cases, where there are more, do not show that: small ones may well have one right output. Neither does a survey that
// head itself has ended.
func (c *check) referenceIsConstant(ctx context.Context, wrong plan.FuzzCase) (bool, error) {
	s, err := c.surveyReference(ctx, wrong)
	if err != nil {
		return false, err
	}
	return s.constant && (len(c.variation.told) >= variationCases || !s.cut), nil
}

// rejectReference ends a check whose reference tells nothing.
func (c *check) rejectReference() {
	c.out.Status, c.out.ErrorSide = result.ParityError, result.SideBoth
	c.out.Reason = result.Message(fmt.Sprintf("pg_reference gave the same outputs for different inputs in each of %d tries: it cannot tell right from wrong", c.variation.tries))
}

// A case may take settingUp times as long as it took to say what it is like: a problem of a task format makes its inputs and asks its reference then,
// and a machine that is busy is as slow at both. What says it has settingUp times CaseLimit, which is also the most that a case gets by this.
const settingUp = 4

func (c *check) caseLimit() time.Duration {
	return min(max(c.opt.CaseLimit, settingUp*c.toldIn), settingUp*c.opt.CaseLimit)
}

// patience is how long one case may take: that of any case, or as long as is left of what was asked for with until.
func (c *check) patience() time.Duration {
	if c.opt.Wishes.Until == 0 {
		return c.caseLimit()
	}
	return max(c.caseLimit(), time.Until(c.deadline))
}

// blameReference sorts out a case that took longer than its limit: where the same launches without the reference, in a fresh
// process, take less than half of that, what takes so long is mostly the reference. Otherwise it is the kernel that hangs.
func (c *check) blameReference(ctx context.Context, fuzz plan.FuzzCase, args command, hung error, limit time.Duration) (result.Side, error) {
	var fault *kernels.RunnerError
	if !errors.As(hung, &fault) || fault.Code != result.CodeHung {
		return result.SideHead, hung
	}
	if err := c.revive(ctx); err != nil {
		return result.SideHead, err
	}
	args.Oracle = "none"
	began := time.Now()
	err := c.head.Call(ctx, "parity", fuzz.Case.Name(), args, nil, min(c.caseLimit(), limit/2))
	if err != nil {
		if !errors.As(err, &fault) {
			return result.SideHead, err
		}
		return result.SideHead, hung
	}
	return result.SideBoth, slowReference(fuzz.Case.Name(), limit, fmt.Sprintf(", and %s without it", time.Since(began).Round(time.Millisecond)))
}

func slowReference(name string, limit time.Duration, without string) error {
	return &kernels.RunnerError{
		Code: result.CodeSlowReference,
		Message: fmt.Sprintf("%s takes over %s with pg_reference%s: make pg_reference faster, keep such cases out with fuzz or where, or give each case longer with perfgate parity --fuzz-time",
			name, limit.Round(time.Millisecond), without),
	}
}

// baseToo says whether base is wrong about a case that head is wrong about, for the end of a message.
func (c *check) baseToo(ctx context.Context, f failing) (string, error) {
	if f.code != result.CodeWrongOutput {
		return "", nil
	}
	r, answered, err := c.referenceOfBase(ctx, f.fuzz, c.commandFor(f.fuzz), f.reply, c.caseLimit())
	if err != nil || !answered || r.Passed {
		return "", err
	}
	return "; base fails here too: base is wrong as well, or the reference is", nil
}
