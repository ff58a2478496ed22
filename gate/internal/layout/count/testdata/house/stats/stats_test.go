// Package stats has a test.
package stats
