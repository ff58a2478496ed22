package kernels

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

const fromC = "#include \"perfgate.h\"\nint pg_spec(const pg_case *c, pg_tensor *out, int cap) { return 0; }\nint pg_launch(const pg_case *c, void *const *data, void *stream, void *state) { return 0; }\n"

// What an adapter defines for perfgate is what perfgate calls: with another signature, as an overload, static, in a namespace, hidden, or with a
// slip in its name it is refused with the right signature, however it is compiled. What only looks like it is not.
func TestFunctionsThatNobodyWouldCall(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	const reference, setup = "int pg_reference(const pg_case *c, double *const *data, void *stream)", "int pg_setup(const pg_case *c, void *const *data, void *stream, void **state)"
	for name, c := range map[string]struct {
		file, text string
		flags      []string
		says       []string // nil: it builds
	}{
		"an overload":                     {"k.pg.cc", "int pg_reference(const pg_case *, float *const *, void *) { return 0; }", nil, []string{"pg_reference of k.pg.cc is not the function that perfgate calls", reference}},
		"other arguments in C":            {"k.pg.c", "int pg_reference(const pg_case *c, float *const *data, void *stream) { return 0; }", nil, []string{"does not compile", "pg_reference"}},
		"other arguments, extern C":       {"k.pg.cc", "extern \"C\" int pg_setup(const pg_case *, void *const *, void *) { return 0; }", nil, []string{"does not compile", "pg_setup"}},
		"another result":                  {"k.pg.cc", "int pg_work(const pg_case *, double *, double *) { return 0; }", nil, []string{"does not compile", "pg_work"}},
		"static, never called":            {"k.pg.cc", "static int pg_setup(const pg_case *, void *const *, void *) { return 0; }", nil, []string{"pg_setup of k.pg.cc", setup}},
		"in a namespace":                  {"k.pg.cc", "namespace mine { int pg_setup(const pg_case *, void *const *, void *, void **) { return 0; } }", nil, []string{"pg_setup of k.pg.cc", setup}},
		"in no namespace":                 {"k.pg.cc", "namespace { int pg_reference(const pg_case *, double *const *, void *) { return 0; } }", nil, []string{"pg_reference of k.pg.cc", reference}},
		"a template":                      {"k.pg.cc", "template <class T> int pg_reference(const pg_case *, T *const *, void *) noexcept { return 0; }", nil, []string{"pg_reference of k.pg.cc", reference}},
		"hidden, which the header undoes": {"k.pg.cc", "extern \"C\" __attribute__((visibility(\"hidden\"))) int pg_reference(const pg_case *, double *const *, void *) { return 0; }", nil, nil},
		"left out by a script":            {"k.pg.c", "int pg_reference(const pg_case *c, double *const *data, void *stream) { return 0; }", []string{"-Wl,--version-script=k.map"}, []string{"pg_reference of k.pg.c", reference}},
		"a slip":                          {"k.pg.cc", "extern \"C\" int pg_refrence(const pg_case *, double *const *, void *) { return 0; }", nil, []string{"k.pg.cc defines pg_refrence, which perfgate never calls", reference}},
		"a slip, optimized linking":       {"k.pg.cc", "int pg_Setup(const pg_case *, void *const *, void *, void **) { return 0; }", []string{"-flto"}, []string{"defines pg_Setup", setup}},
		"a slip, static":                  {"k.pg.c", "static int pg_set_up(const pg_case *c, void *const *data, void *stream, void **state) { return 0; }", nil, []string{"defines pg_set_up", setup}},
		"all of them":                     {"k.pg.c", everyFunction(), nil, nil},
		"all of them in C++, hidden":      {"k.pg.cc", everyFunction(), []string{"-fvisibility=hidden", "-fno-exceptions"}, nil},
		"helpers of other names": {"k.pg.cc", everyFunction() + "template <class T> static int pg_reference(T x) { return x; }\nint pg_refrence(int x) { return pg_reference(x); }\n" +
			"namespace a { struct pg_setups { int pg_setup; void operator()() { pg_setup = 1; } }; }\n", nil, nil},
		"near nothing": {"k.pg.cc", "int pg_fill2(int x) { return x; }\nint pg_launch_all(int x) { static int pg_seen; return ++pg_seen + x; }\nint pg_reference_f64(int x) { return x; }\n" +
			"#if 0\nint pg_reference(int) { return 0; }\n#endif\n// int pg_setup(int) { }\n", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := BuildSpec{Adapter: c.file, Flags: c.flags}
			r.lay(&s, map[string]string{c.file: fromC + c.text, "k.map": "{ global: pg_spec; pg_launch; pg_abi; local: *; };"}, nil)
			_, err := r.builder.Build(context.Background(), s)
			saysAll(t, err, c.says, result.CauseAdapter)
		})
	}
}

// The same of a library that a command made, by its symbols.
func TestFunctionsThatNobodyWouldCallInALibrary(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		text, flags string
		says        []string
	}{
		"an overload": {"int pg_setup(const pg_case *, void *const *, void *) { return 0; }", "", []string{"pg_setup of build/k.so", "int pg_setup("}},
		"a slip":      {"extern \"C\" int pg_refrence(const pg_case *, double *const *, void *) { return 0; }", "-s", []string{"build/k.so defines pg_refrence", "int pg_reference("}},
		"left out":    {"extern \"C\" int pg_reference(const pg_case *, double *const *, void *) { return 0; }", "-Wl,--version-script=k.map", []string{"pg_reference of build/k.so"}},
		"all of them": {everyFunction(), "-s", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := BuildSpec{Command: "mkdir -p build && c++ -shared -fPIC -I$PERFGATE_INCLUDE k.cc " + c.flags + " -o build/k.so", Output: "build/k.so"}
			r.lay(&s, map[string]string{"k.cc": fromC + c.text, "k.map": "{ global: pg_spec; pg_launch; pg_abi; local: *; };"}, nil)
			_, err := r.builder.Build(context.Background(), s)
			saysAll(t, err, c.says, result.CauseAdapter)
		})
	}
}

func saysAll(t *testing.T, err error, says []string, cause result.BuildCause) {
	t.Helper()
	if says == nil {
		if err != nil {
			t.Error(everyWord(err))
		}
		return
	}
	if err == nil {
		t.Fatalf("it builds, and was to be refused with %q", says)
	}
	if got := faultOf(t, err).Cause; got != cause {
		t.Errorf("cause %s, want %s", got, cause)
	}
	for _, want := range says {
		if !strings.Contains(everyWord(err), want) {
			t.Errorf("no %q in %s", want, everyWord(err))
		}
	}
}

// everyFunction defines all optional functions as perfgate.h declares them.
func everyFunction() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(signatures())) {
		if body := " { return 0; }\n"; name != "pg_spec" && name != "pg_launch" {
			if strings.HasPrefix(signatures()[name], "void ") {
				body = " {}\n"
			}
			text.WriteString(signatures()[name] + body)
		}
	}
	return text.String()
}

// What the harness looks for in a library is what perfgate.h declares, and docs/cpp.md has each with its signature.
func TestEveryFunctionIsDeclared(t *testing.T) {
	t.Parallel()
	harness, err := os.ReadFile("native/harness/adapter.cc")
	must(t, err)
	var looked []string
	for _, m := range regexp.MustCompile(`find\(library, "(pg_\w+)"`).FindAllStringSubmatch(string(harness), -1) {
		looked = append(looked, m[1])
		if entryOf(m[1]) == "" {
			t.Errorf("the harness looks for %s, which perfgate.h does not declare", m[1])
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "cpp.md"))
	must(t, err)
	for name, signature := range signatures() {
		if !slices.Contains(looked, name) {
			t.Errorf("perfgate.h declares %s, which the harness does not look for", name)
		}
		if !strings.Contains(string(page), "`"+signature+"`") {
			t.Errorf("docs/cpp.md does not have `%s`", signature)
		}
	}
	if len(signatures()) < 12 {
		t.Errorf("only %d functions are read from perfgate.h", len(signatures()))
	}
}

// A slip is told from another name.
func TestIntendedFunctions(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pg_reference": "pg_reference", "pg_refrence": "pg_reference", "pg_referenec": "pg_reference", "pg_Reference": "pg_reference", "pg_refernce_f32": "pg_reference_f32",
		"pg_referencef32": "pg_reference_f32", "PG_setup": "pg_setup", "pg_set_up": "pg_setup", "pg_setpu": "pg_setup", "pg_tear_down": "pg_teardown", "pg_recordbegin": "pg_record_begin", "pg_wrok": "pg_work",
		"pg_writen": "pg_written", "pg_colect": "pg_collect", "pg_specs": "pg_spec",
		"pg_reference_f64": "", "pg_fill2": "", "pg_param": "", "pg_random": "", "pg_fill_with": "", "pg_launch_all": "", "setup": "", "reference": "", "launch": "", "pg_": "",
	} {
		if got := intended(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for symbol, want := range map[string]string{
		"pg_setup": "pg_setup", "_Z8pg_setupv": "pg_setup", "_ZL8pg_setupi": "pg_setup", "_ZN12_GLOBAL__N_18pg_setupEi": "pg_setup", "_ZN4mine8pg_setupIfEEiT_": "pg_setup",
		"_ZZ9pg_launchENKUlvE_clEv": "operator()", "_ZZ9pg_launchE5cache": "cache", "pg_setup@@V1": "pg_setup", "pg_launch.cold": "pg_launch.cold", "_Zbroken": "_Zbroken",
	} {
		if got := functionName(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}
