// Package simulate runs a year of commits through the stored baseline: time, noise and commits are made up, records,
// stores, lookups and decisions are the real ones.
package simulate
