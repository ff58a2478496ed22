// Package text writes numbers, units and foreign text for people: three significant digits, visible characters, columns, and lines that no CI
// service takes for a command.
package text
