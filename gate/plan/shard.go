package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Shard is one of several parts of a plan.
type Shard struct {
	Index int // from 1
	Of    int
	Seed  uint64 // of the whole run
}

// MaxShards is the most parts that a plan is cut into.
const MaxShards = 256

// ParseShard reads "2/3".
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || i < 1 || n < i || n > MaxShards {
		return Shard{}, fmt.Errorf("%q is not of the form i/n with 1 <= i <= n <= %d, such as 2/3", text, MaxShards)
	}
	return Shard{Index: i, Of: n}, nil
}

// Turn reads "2/3", or "auto/3", whose part follows from a turn such as the number of a day. The part is turn%of + 1.
func Turn(text string, otherwise int) (turn, of int, err error) {
	number, auto := strings.CutPrefix(text, "auto/")
	if !auto {
		s, err := ParseShard(text)
		return s.Index - 1, s.Of, err
	}
	of, err = strconv.Atoi(number)
	if err != nil || of < 1 || of > MaxShards {
		return 0, 0, fmt.Errorf("%q is not of the form auto/n with 1 <= n <= %d, such as auto/7", text, MaxShards)
	}
	return otherwise, of, nil
}

// ShardError says that a plan cannot be cut into so many parts.
type ShardError struct {
	Shard
	Cases int // that the plan has
}

func (e *ShardError) Error() string {
	return fmt.Sprintf("--shard %d/%d: the plan has %d measured cases, so there can be at most as many shards", e.Index, e.Of, e.Cases)
}

// ExitCode is that of bad usage.
func (e *ShardError) ExitCode() result.ExitCode { return result.ExitUsage }

// OwnSeed is the seed of the part: each draws other cases for parity and other orders, all from the seed of the run.
func (s Shard) OwnSeed() uint64 {
	return SeedOf(strconv.FormatUint(s.Seed, 10), "shard", strconv.Itoa(s.Index))
}

// Shard is the part of the plan that s names: every n-th case in the plan's order, so that the cases of a kernel, which take
// alike long, are spread. Kernels of which it has no case are left out. K stays that of the whole plan, which the error rate
// is held over. It is an error to have more parts than cases.
func (p *Plan) Shard(s Shard) (*Plan, error) {
	if s.Of > p.K {
		return nil, &ShardError{s, p.K}
	}
	at := 0
	part := p.filter(func(Case) bool {
		at++
		return (at-1)%s.Of == s.Index-1
	}, KernelPlan.IsUnknown) // a benchmark that failed, and so did not say which cases it has, is in every part
	part.K = p.K
	return part, nil
}
