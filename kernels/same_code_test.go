package kernels

import "testing"

func TestSameCode(t *testing.T) {
	const code = "#include <math.h>\nint f(int x) { // twice\n  return x * 2;\n}\n"
	for name, c := range map[string]struct {
		file, a, b string
		same       bool
	}{
		"a comment":               {"k.cc", code, "/* new\n * header */\n" + code, true},
		"blanks":                  {"k.cu", code, "#include <math.h>\n\n\n  int f(int x)   {\n\treturn x * 2;   // two\r\n}", false}, // no newline at the end
		"blanks and lines":        {"k.cu", code, "#include <math.h>\n\n\n  int f(int x)   {\n\treturn x * 2;   // two\r\n}\n", true},
		"code":                    {"k.cc", code, "#include <math.h>\nint f(int x) {\n  return x * 3;\n}\n", false},
		"another language":        {"k.py", "a # b", "a # c", false},
		"data":                    {"k.bin", "a // b", "a // c", false},
		"no comment: a string":    {"k.cc", "const char *s = \"// a\";\n", "const char *s = \"// b\";\n", false},
		"blanks in a string":      {"k.cc", "const char *s = \"a b\";\n", "const char *s = \"a  b\";\n", false},
		"an escaped quote":        {"k.cc", "const char *s = \"\\\"// a\";\n", "const char *s = \"\\\"// b\";\n", false},
		"a quote as a character":  {"k.cc", "char c = '\"'; // a\n", "char c = '\"'; // b\n", true},
		"digits":                  {"k.cc", "int x = 1'000; // a's\n", "int x = 1'000; // b's\n", true},
		"a raw string":            {"k.cc", "auto s = R\"(// a)\";\n", "auto s = R\"(// b)\";\n", false},
		"a continued comment":     {"k.cc", "// a \\\nint x;\nint y;\n", "// a \\\nint z;\nint y;\n", true},
		"no longer continued":     {"k.cc", "// a \\\nint x;\nint y;\n", "// a\nint x;\nint y;\n", false},
		"joined lines":            {"k.cc", "#define A 1\nint x;\n", "#define A 1 int x;\n", false},
		"joined words":            {"k.cc", "int/**/x;\n", "intx;\n", false},
		"a slash in a header":     {"k.cc", "#include <a//b.h>\n", "#include <a//c.h>\n", false},
		"a divided comment":       {"k.cc", "/\\\n/ a\n", "/\\\n/ b\n", false},
		"an open comment":         {"k.cc", "int x; /* a\n", "int x; /* b\n", false},
		"an apostrophe, no quote": {"k.cc", "#error don't // a\n", "#error don't // b\n", false},
	} {
		if got := SameCode(c.file, []byte(c.a), []byte(c.b)); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}
