package result

import "github.com/bmatcuk/doublestar/v4"

// CaseMatches says whether a pattern, such as "gemm/**", names a case. The name of a kernel alone stands for all of its cases. A
// name means the case that has it, whatever else it would mean as a pattern.
func CaseMatches(pattern, kernel, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok || pattern == kernel || pattern == name
}

// IsCasePattern says whether CaseMatches can read a pattern.
func IsCasePattern(pattern string) bool { return doublestar.ValidatePattern(pattern) }
