// Package stats holds the statistics of performance comparisons and nothing else: it reads no files, keeps no
// clock, draws random numbers only from a seed that it is given, and imports nothing of this module.
//
// Latencies are in nanoseconds unless said otherwise. "Log value" means the natural logarithm of a latency in
// nanoseconds, so a difference of log values is a ratio of latencies: 0.01 is 1 % slower.
//
// Functions that can be asked something that has no answer return an error that wraps one of the Err values:
// no function panics on data, and none answers an unanswerable question with 0.
//
//	samples of a process -> log value -> rounds -> shift, bounds, Cliff's delta
//	series of records -> change points, scatter
package stats
