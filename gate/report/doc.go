// Package report turns a saved result into what people read. New computes one Document, a value that says everything
// in words, cells and tones; Terminal and Markdown only print it. Nothing is worked out while printing, so all
// renderings of a run say the same.
//
// Names, reasons and compiler output come from the change under test and are hostile: Terminal lets no control
// character through, Markdown no mark-up.
package report
