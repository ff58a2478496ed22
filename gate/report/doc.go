// Package report turns a saved result into what people read. New computes one Document, a value that says everything
// in words, cells and tones; gate/render only lays it out. Nothing is worked out while printing, so all
// renderings of a run say the same.
//
//	Result, or what a verb answers (bisect, judge, drift, history) -> New and its like -> Document: headline, facts, tables by key, figures as data
//	Finding, Reason -> the one sentence of its kind
//
// Names, reasons and compiler output come from the change under test and are untrusted: no renderer lets them act.
package report
