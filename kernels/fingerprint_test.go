package kernels

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// All that is loaded counts: code, constants, data. A build id does not.
func TestFingerprintOfAllThatIsLoaded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	print := func(header string, flags ...string) string { return r.build(side(t, header, flags...)).Fingerprint }
	const text = "extern \"C\" const char name[] = \"%s\"; extern \"C\" int state = %d; static int work() { return %d; }\n"
	plain := print(fmt.Sprintf(text, "a", 1, 1), "-Wl,--build-id=0x1111")
	if got := print(fmt.Sprintf(text, "a", 1, 1), "-Wl,--build-id=0x2222"); got != plain {
		t.Error("another build id is other code")
	}
	for what, header := range map[string]string{
		"a constant": fmt.Sprintf(text, "b", 1, 1), "data": fmt.Sprintf(text, "a", 2, 1), "code": fmt.Sprintf(text, "a", 1, 2),
	} {
		if print(header, "-Wl,--build-id=0x1111") == plain {
			t.Errorf("%s changed and the fingerprint did not", what)
		}
	}
}

// A library that a kernel needs is part of it: replaced, the same file is other code.
func TestFingerprintOfNeededLibraries(t *testing.T) {
	r := newRig(t)
	dir := t.TempDir()
	helper := func(value int) {
		source := filepath.Join(dir, "helper.c")
		must(t, os.WriteFile(source, fmt.Appendf(nil, "int helper(void) { return %d; }\n", value), 0o644))
		output(t, exec.Command(r.builder.Compiler.Path, "-x", "c", "-shared", "-fPIC", "-o", filepath.Join(dir, "libpghelper.so"), source))
	}
	prints := func(path string) (code, libraries string) {
		code, err := Fingerprint(path)
		must(t, err)
		if libraries, err = LibrariesFingerprint(path); err != nil {
			t.Fatal(err)
		}
		return code, libraries
	}
	helper(1)
	lib := r.build(side(t, "static int work() { return 1; }\n", "-DNEEDS_HELPER", "-L"+dir, "-Wl,-rpath,"+dir, "-Wl,--no-as-needed", "-lpghelper"))
	code, libraries := prints(lib.Path)
	if again, same := prints(lib.Path); again != code || same != libraries || code != lib.Fingerprint {
		t.Error("the fingerprint of one file is not one")
	}
	helper(2)
	if again, now := prints(lib.Path); again == code || now == libraries {
		t.Errorf("the needed library was replaced: fingerprint %v, libraries %v", again != code, now != libraries)
	}
}
