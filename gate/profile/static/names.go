package static

import (
	"regexp"
	"strconv"
	"strings"
)

// identifier is the last name of a demangled function, without return type, namespaces, template arguments and parameters:
// attn of `void a::attn<0>(const __half *)`.
func identifier(demangled string) string {
	name, depth := "", 0
	for i, r := range demangled {
		switch {
		case r == '<':
			// The namespace without a name is written <unnamed>.
			depth++
			if rest := demangled[i:]; depth == 1 && !strings.HasPrefix(rest, "<unnamed>") {
				if m := lastWord.FindString(demangled[:i]); m != "" {
					name = m
				}
			}
		case r == '>':
			depth--
		case r == '(' && depth == 0 && !strings.HasPrefix(demangled[i:], "(anonymous namespace)"):
			if m := lastWord.FindString(demangled[:i]); m != "" {
				return m
			}
			return name
		}
	}
	return lastWord.FindString(demangled)
}

var lastWord = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*$`)

func lengthPrefixed(id string) string { return strconv.Itoa(len(id)) + id }

var digits = regexp.MustCompile(`[0-9]+`)

// product of the numbers in "(256, 1, 1)"; 0 if there are none, or too many threads for any GPU.
func product(dims string) int {
	all := digits.FindAllString(dims, 4)
	n := 1
	for _, text := range all {
		v, err := strconv.Atoi(text)
		if err != nil || v < 1 || v > 1024 {
			return 0
		}
		n *= v
	}
	if len(all) == 0 || n > 1024 {
		return 0
	}
	return n
}
