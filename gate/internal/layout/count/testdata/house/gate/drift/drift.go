// Package drift is two lines.
package drift
