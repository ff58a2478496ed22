package result_test

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Of a long log its end stays, where a build system says what it stopped at, and its first error wherever it stands.
func TestLongLogsKeepTheirFirstErrorAndTheirEnd(t *testing.T) {
	noise := strings.Repeat("[ 10%] Building CXX object x.o\n", 2000)
	log := "cmake --build build\n" + noise + "a.cc:1:9: error: 'x' was not declared\n" + noise + "make: *** [all] Error 2\n"
	cut := result.CutLog(log, 4<<10)
	for _, want := range []string{"cmake --build build\n", "\na.cc:1:9: error: 'x' was not declared\n", "\nmake: *** [all] Error 2"} {
		if !strings.Contains(cut, want) {
			t.Errorf("no %q", want)
		}
	}
	if len(cut) > 5<<10 {
		t.Errorf("%d bytes", len(cut))
	}
	if short := "one\ntwo"; result.CutLog(short, 100) != short {
		t.Error("a short log is changed")
	}
	if cut := result.CutLog(strings.Repeat("x", 9000), 1000); len(cut) > 1100 {
		t.Errorf("one line: %d bytes", len(cut))
	}
}

// What pip, setuptools and torch print around a compiler's error does not stand for it.
func TestInstallersSumUp(t *testing.T) {
	for line, want := range map[string]bool{
		"error: subprocess-exited-with-error": false, "error: command '/usr/bin/gcc' failed with exit code 1": false, "subprocess.CalledProcessError: Command '['ninja']' failed": false,
		"RuntimeError: Error compiling objects for extension": false, "csrc/a.cpp:1:10: fatal error: b.h: No such file or directory": true,
		"ERROR: No matching distribution found for a==9": true,
	} {
		if result.IsFaultLine(line) != want || result.IsSummaryLine(line) == want {
			t.Errorf("%q: a fault %t", line, !want)
		}
	}
}
