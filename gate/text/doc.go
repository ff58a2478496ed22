// Package text writes numbers, units and foreign text for people: three significant digits, visible characters, columns, and lines that no CI
// service takes for a command.
//
//	number, unit -> text that people read
//	foreign text -> visible characters of one line, safe in a log
package text
