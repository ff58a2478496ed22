// Package stats is three lines.

package stats
