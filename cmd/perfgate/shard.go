package main

import (
	"os"

	"github.com/org/perfgate/gate/plan"
)

// parseShard reads --shard i/n. Parts that did not have one seed cannot be told from parts of different runs.
func parseShard(f runFlags, head string, seed uint64) (*plan.Shard, error) {
	if f.shard == "" {
		return nil, nil
	}
	s, err := plan.ParseShard(f.shard)
	if err != nil {
		return nil, usagef("--shard: %w", err)
	}
	if _, drawn := plan.SeedInActions(head, os.Getenv); f.seed == "" && !drawn {
		return nil, usagef("--shard %s needs --seed, the same number for all %d shards: by it perfgate merge knows that they belong together", f.shard, s.Of)
	}
	s.Seed = seed
	return &s, nil
}
