// Package judge decides a saved result again, from its samples: what it says of itself is not believed. Whoever takes
// results from a job that ran foreign code, to publish or to merge them, asks here first.
//
// It finds what does not follow, not what was made up whole: samples can be forged too. docs/security.md says what that
// leaves to an attacker.
package judge
