// Package compare decides on measurements that people bring: it reads two saved sets of samples,
// and compares them case by case. Package report makes the table.
//
// A set comes from a result of this program (result.json), a CSV of samples, or the JSON of Google Benchmark or
// nvbench. The unit of comparison is the process: launches of one process are correlated, since they share memory
// placement, clock and background load, so a thousand of them say little about the next process.
package compare
