package parity

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// split is a rig whose library "judge" answers judge commands.
type split struct {
	t       *testing.T
	decide  func(q kernels.JudgeCommand) (reply, error)
	tensors map[string][]kernels.Tensor // by library, where not the rig's
}

func (s *split) call(library, op string, args, answer any, _ time.Duration, call func() error) error {
	if (op == "judge") != (library == "judge") && op != "spec" && op != "reset" {
		s.t.Errorf("%s was asked to %s", library, op)
	}
	if q, ok := args.(kernels.JudgeCommand); ok {
		got, err := s.decide(q)
		*answer.(*reply) = got
		return err
	}
	if err := call(); err != nil {
		return err
	}
	if out, ok := answer.(*kernels.SpecReply); ok && s.tensors[library] != nil {
		out.Tensors = s.tensors[library]
	}
	if cmd, ok := args.(command); ok {
		if cmd.Oracle != "none" || cmd.Expect != "" {
			s.t.Errorf("head was told what is right: %+v", cmd)
		}
		answer.(*reply).Launches = 2
		return os.WriteFile(cmd.Deliver, nil, 0o600)
	}
	return nil
}

// varied is a right answer of a reference that looks at its inputs.
func varied(q kernels.JudgeCommand) (reply, error) {
	r := good(10, 0.1)
	r.OracleDigest, r.InputDigest = q.Seed, q.Seed
	return r, nil
}

func runSplit(t *testing.T, s *split) result.Parity {
	t.Helper()
	s.t = t
	r := &rig{hasReference: true, answer: passes, around: s.call}
	return r.run(t, Subject{Kernel: "k", Head: "head", Base: "head", Judge: "judge", Cases: cases(5)})
}

// What goes wrong while base's library judges is the fault of who did it.
func TestWhoseFaultItIsWhereBaseJudges(t *testing.T) {
	fails := func(code result.Code) func(kernels.JudgeCommand) (reply, error) {
		return func(q kernels.JudgeCommand) (reply, error) {
			return reply{}, &kernels.RunnerError{Code: code, Message: "it is " + string(code)}
		}
	}
	for name, c := range map[string]struct {
		decide func(kernels.JudgeCommand) (reply, error)
		status result.ParityStatus
		side   result.Side
		code   result.Code
		words  string
	}{
		"nobody's": {varied, result.ParityPassed, "", "", ""},
		"wrong outputs are head's": {func(q kernels.JudgeCommand) (reply, error) {
			r, err := varied(q)
			r.Passed = q.Launches == 0
			return r, err
		}, result.ParityFailed, "", result.CodeWrongOutput, "wrong"},
		"outputs that are none are head's":       {fails(result.CodeBadDelivery), result.ParityFailed, "", result.CodeBadDelivery, "bad-delivery"},
		"a reference that crashes is not head's": {fails(result.CodeCrashed), result.ParityError, result.SideBoth, "", "crashed"},
		"a reference that hangs is not head's":   {fails(result.CodeHung), result.ParityError, result.SideBoth, "", "make pg_reference faster"},
		"a reference that fails is not head's":   {fails("reference-failed"), result.ParityError, result.SideBoth, "", "reference-failed"},
		"a launch of base that crashes is base's": {func(q kernels.JudgeCommand) (reply, error) {
			if q.Oracle == "launch" {
				return fails(result.CodeCrashed)(q)
			}
			return fails("no-reference")(q)
		}, result.ParityError, result.SideBase, "", "crashed"},
		"a reference that does not look is not head's": {func(q kernels.JudgeCommand) (reply, error) {
			r, err := varied(q)
			r.OracleDigest = "1"
			return r, err
		}, result.ParityError, result.SideBoth, "", "same outputs for different inputs"},
	} {
		t.Run(name, func(t *testing.T) {
			out := runSplit(t, &split{decide: c.decide})
			said := out.Reason
			if out.Failure != nil {
				said = result.Message(string(out.Failure.Code) + " " + out.Failure.Message)
			}
			if out.Status != c.status || out.ErrorSide != c.side || !strings.Contains(result.MessageOf(said), c.words) || !strings.HasPrefix(result.MessageOf(said), string(c.code)) {
				t.Errorf("%s, side %q: %s", out.Status, out.ErrorSide, result.MessageOf(said))
			}
		})
	}
}

// Head's adapter may have other scratch than base's, and nothing else.
func TestHeadsCaseIsBases(t *testing.T) {
	y := kernels.Tensor{Name: "y", Dtype: "f16", Role: "out", Shape: []int64{2}, Bytes: 4}
	work := kernels.Tensor{Name: "w", Dtype: "f32", Role: "scratch", Shape: []int64{8}, Bytes: 32}
	change := func(f func(y, work *kernels.Tensor)) []kernels.Tensor {
		y, work := y, work
		f(&y, &work)
		return []kernels.Tensor{y, work}
	}
	for name, c := range map[string]struct {
		head []kernels.Tensor
		same bool
	}{
		"equal":                    {change(func(_, _ *kernels.Tensor) {}), true},
		"more scratch":             {change(func(_, w *kernels.Tensor) { w.Shape, w.Bytes = []int64{16}, 64 }), true},
		"names of dimensions":      {change(func(y, _ *kernels.Tensor) { y.Dims = "n" }), true},
		"another dtype":            {change(func(y, _ *kernels.Tensor) { y.Dtype = "bf16" }), false},
		"a smaller output":         {change(func(y, _ *kernels.Tensor) { y.Shape, y.Bytes = []int64{1}, 2 }), false},
		"a tolerance":              {change(func(y, _ *kernels.Tensor) { y.ATol = 1 }), false},
		"a fixed fill":             {change(func(y, _ *kernels.Tensor) { y.Flags = 1 }), false},
		"scratch that is an input": {change(func(_, w *kernels.Tensor) { w.Role = "in" }), false},
		"a tensor less":            {change(func(_, _ *kernels.Tensor) {})[:1], false},
	} {
		out := runSplit(t, &split{decide: varied, tensors: map[string][]kernels.Tensor{"head": c.head, "judge": {y, work}}})
		if c.same && out.Status != result.ParityPassed || !c.same && (out.Status != result.ParityFailed || out.Failure.Code != result.CodeOtherCase) {
			t.Errorf("%s: %+v %+v", name, out, out.Failure)
		}
	}
}

// Outputs that cannot be handed over are said, and never pass.
func TestOutputsThatCannotBeHandedOverAreSaid(t *testing.T) {
	huge := []kernels.Tensor{{Name: "y", Dtype: "f16", Role: "out", Shape: []int64{1 << 45}, Bytes: 1 << 46}}
	out := runSplit(t, &split{decide: varied, tensors: map[string][]kernels.Tensor{"head": huge, "judge": huge}})
	if out.Status != result.ParitySkipped || len(out.Warnings) == 0 || !strings.Contains(out.Warnings[0], "was not compared") {
		t.Errorf("%+v", out)
	}
}
