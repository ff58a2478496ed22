// Package doctor answers one question: is this machine fit to measure? Probes gather facts, and findings are made of the
// facts alone, each with its cure, so that every state of a machine can be tested without having such a machine.
//
//	Probes -> facts -> Findings with cures -> fit, unfit or unknown -> report.Document
package doctor
