package kernels

import (
	"bytes"
	"path/filepath"
	"slices"
)

// codeExtensions are those of files in which comments and blanks mean nothing.
var codeExtensions = []string{".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".cu", ".cuh"}

// IsCode says of a file's name that a compiler of C, C++ or CUDA is given such.
func IsCode(name string) bool { return slices.Contains(codeExtensions, filepath.Ext(name)) }

// SameCode says whether two versions of a file differ in nothing but comments and blanks of C, C++ or CUDA, so that not even a
// program that compiles the file at run time sees a difference. Where that is not sure, they differ.
func SameCode(name string, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if !IsCode(name) {
		return false
	}
	one, sure1 := withoutComments(a)
	two, sure2 := withoutComments(b)
	return sure1 && sure2 && bytes.Equal(one, two)
}

// stripper copies code and leaves comments, blank lines and repeated blanks out.
type stripper struct {
	src   []byte
	at    int
	out   []byte
	blank bool // blanks are due before the next character
	sure  bool
}

func withoutComments(src []byte) (code []byte, sure bool) {
	s := stripper{src: src, sure: !bytes.Contains(src, []byte("??/")) && !bytes.Contains(src, []byte(`R"`)) && !bytes.Contains(src, []byte("/\\\n"))}
	for s.at < len(s.src) && s.sure {
		s.step()
	}
	return s.out, s.sure
}

func (s *stripper) step() {
	rest := s.src[s.at:]
	switch c := rest[0]; {
	case bytes.HasPrefix(rest, []byte("//")):
		s.at += lineComment(rest)
	case bytes.HasPrefix(rest, []byte("/*")):
		end := bytes.Index(rest[2:], []byte("*/"))
		s.sure = end >= 0
		s.at += end + 4
		s.blank = true
	case c == '"' || c == '\'' && !s.inNumber():
		end := literal(rest)
		s.sure = end > 0
		s.put(rest[:max(0, end)])
		s.at += end
	case c == '\n':
		s.newline()
		s.at++
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		s.blank = true
		s.at++
	default:
		s.put(rest[:1])
		s.at++
	}
}

func (s *stripper) put(text []byte) {
	if s.blank && len(s.out) > 0 && s.out[len(s.out)-1] != '\n' {
		s.out = append(s.out, ' ')
	}
	s.blank = false
	s.out = append(s.out, text...)
}

// newline ends a line that has something on it. A line that includes <a//b> has no comment, which is not told apart here.
func (s *stripper) newline() {
	s.blank = false
	line := s.out[bytes.LastIndexByte(s.out, '\n')+1:]
	if len(line) == 0 {
		return
	}
	if bytes.HasPrefix(line, []byte("#")) && bytes.Count(line, []byte("<")) != bytes.Count(line, []byte(">")) && bytes.Contains(line, []byte("include")) {
		s.sure = false
	}
	s.out = append(s.out, '\n')
}

// inNumber says whether a quote stands between digits, as in 1'000.
func (s *stripper) inNumber() bool {
	start := len(s.out)
	for start > 0 && isWord(s.out[start-1]) {
		start--
	}
	return !s.blank && start < len(s.out) && s.out[start] >= '0' && s.out[start] <= '9'
}

func isWord(c byte) bool {
	return c == '_' || c == '\'' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// lineComment is the length of a comment up to its end of line, which a backslash moves on.
func lineComment(text []byte) int {
	for i := range text {
		if text[i] == '\n' && text[i-1] != '\\' && !bytes.HasSuffix(text[:i], []byte("\\\r")) {
			return i
		}
	}
	return len(text)
}

// literal is the length of a literal that ends on its line, 0 for one that does not.
func literal(text []byte) int {
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return 0
}
