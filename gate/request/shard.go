package request

import (
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// part reads --shard i/n. Parts that did not have one seed cannot be told from parts of different runs.
func (r Run) part(head string, seed uint64) (*plan.Shard, error) {
	if r.Shard == "" {
		return nil, nil
	}
	s, err := plan.ParseShard(r.Shard)
	if err != nil {
		return nil, result.Usagef("--shard: %w", err)
	}
	if _, drawn := plan.SeedInActions(head, os.Getenv); r.Seed == "" && !drawn {
		return nil, result.Usagef("--shard %s needs --seed, the same number for all %d shards: by it perfgate merge knows that they belong together", r.Shard, s.Of)
	}
	s.Seed = seed
	return &s, nil
}

// Today counts days.
func Today() int { return int(time.Now().Unix() / (24 * 60 * 60)) }

// ParseSeed reads a seed; none is a random one.
func ParseSeed(text string) (uint64, error) {
	if text == "" {
		return RandomSeed(), nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, result.Usagef("--seed %q is not a whole number from 0 to %d", text, uint64(1<<64-1))
	}
	return seed, nil
}

// RandomSeed is fresh each run, so that no kernel can be tuned to it.
func RandomSeed() uint64 { return rand.Uint64() }
