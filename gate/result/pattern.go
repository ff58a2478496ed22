package result

import "github.com/bmatcuk/doublestar/v4"

// CaseMatches says whether a pattern, such as "gemm/**", names a case. The name of a kernel alone stands for all of its cases.
func CaseMatches(pattern, kernel, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok || pattern == kernel
}

// IsCasePattern says whether CaseMatches can read a pattern.
func IsCasePattern(pattern string) bool { return doublestar.ValidatePattern(pattern) }
