// Package render lays out documents: for a terminal, as Markdown, and in the formats of files. It finds the cells of a table by the keys
// of their columns, and decides nothing. Whatever a change wrote into a document cannot act in any format.
//
//	report.Document -> terminal, Markdown, HTML with figures, JSON
//	its tables, by key -> CSV, JUnit
package render
