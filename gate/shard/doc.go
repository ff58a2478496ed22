// Package shard makes one result of several: of the parts of a plan that several runners measured (`perfgate run --shard
// i/n`), and of the same plan measured on several machines. Pure: results in, a result out.
//
// The results come from jobs that ran foreign code. Each is decided again from its samples first, and what does not fit
// together is refused, not repaired. A part that is missing is said and is never green.
package shard
