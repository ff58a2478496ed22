// Package stories has what users live through with the command, from a shell: testdata/script/VERB.txtar. It holds tests only, and most of
// them build and measure live, beside those of the command itself.
package stories
