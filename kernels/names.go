package kernels

import (
	"strings"

	"github.com/org/perfgate/gate/text"

	"github.com/ianlancetaylor/demangle"
)

// ShortName is the last name of a GPU function, without return type, namespaces, template arguments and parameters: attn of
// `_ZN1a4attnILi0EEEvPK6__half` and of `void a::attn<0>(const __half *)`. Compilers write the one, profilers the other. A
// mangled name that cannot be read stays as it is.
func ShortName(function string) string {
	demangled := demangle.Filter(function, demangle.NoParams, demangle.NoTemplateParams, demangle.NoClones)
	name, depth := "", 0
	for i, r := range demangled {
		switch {
		case r == '<':
			// The namespace without a name is written <unnamed>.
			depth++
			if rest := demangled[i:]; depth == 1 && !strings.HasPrefix(rest, "<unnamed>") {
				if m := lastWord().FindString(demangled[:i]); m != "" {
					name = m
				}
			}
		case r == '>':
			depth--
		case r == '(' && depth == 0 && !strings.HasPrefix(demangled[i:], "(anonymous namespace)"):
			if m := lastWord().FindString(demangled[:i]); m != "" {
				return m
			}
			return name
		}
	}
	return lastWord().FindString(demangled)
}

var lastWord = text.Pattern(`[A-Za-z_][A-Za-z0-9_]*$`)
