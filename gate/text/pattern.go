package text

import (
	"regexp"
	"sync"
)

// Pattern gives a regular expression that is compiled when it is first asked for. perfgate starts itself once per
// process under test, and each start would compile all of them. It panics, on that first call, where the expression is wrong.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
