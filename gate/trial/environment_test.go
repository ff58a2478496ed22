package trial

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// init says of an environment in the checkout that a pull request's gate refuses it.
func TestInitSaysThatAnEnvironmentLiesInTheCheckout(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, venv := range []string{filepath.Join(dir, ".venv"), outside} {
		if err := errors.Join(os.MkdirAll(filepath.Join(venv, "bin"), 0o755), os.WriteFile(filepath.Join(venv, "pyvenv.cfg"), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]string{
		".venv/bin/python bench.py": ".venv/bin/python", dir + "/.venv/bin/pytest -q": dir + "/.venv/bin/pytest", "python3 bench.py": "", outside + "/bin/python bench.py": "",
	} {
		if got := OwnEnvironment(dir, command); got != want {
			t.Errorf("%s: %q", command, got)
		}
	}
}
