package config_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
)

// FuzzParse: no file may panic, what is accepted must be fit for everything that follows, and with an unknown key it is not accepted.
func FuzzParse(f *testing.F) {
	for _, folder := range []string{"ok", "err"} {
		files, err := filepath.Glob(filepath.Join(testdata, folder, "*.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := config.Parse("perfgate.yaml", src)
		if err != nil {
			checkErrors(t, err)
			return
		}
		checkConfig(t, c)
		again, err := config.Parse("perfgate.yaml", src)
		if err != nil || marshal(t, again) != marshal(t, c) {
			t.Errorf("read twice, it differs: %v", err)
		}
		if _, err := config.Parse("perfgate.yaml", append(src[:len(src):len(src)], "\nno-such-key: 1\n"...)); err == nil {
			t.Error("accepted with an unknown key")
		}
	})
}

func marshal(t *testing.T, c *config.Config) string {
	t.Helper()
	text, err := json.Marshal(c)
	must(t, err)
	return string(text)
}

// checkConfig holds for whatever Parse accepts.
func checkConfig(t *testing.T, c *config.Config) {
	t.Helper()
	if len(c.Kernels) == 0 {
		t.Error("no kernels")
	}
	for _, k := range c.Kernels {
		for _, p := range append([]string{k.Adapter}, k.Sources...) {
			if path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../") || p != "" && p != path.Clean(p) {
				t.Errorf("path %q", p)
			}
		}
		if k.Adapter == "" && k.Build == nil {
			t.Errorf("kernel %s has nothing to build", k.Name)
		}
		for _, fuzz := range plan.Fuzz(k, 1, 12) {
			if _, err := plan.ParseCase(k, fuzz.Name()); err != nil {
				t.Error(err)
			}
		}
	}
	g := c.Gate
	if g.Tolerance < 0 || g.Tolerance > 1 || g.Confidence < 0.5 || g.Confidence >= 1 || g.Budget <= 0 {
		t.Errorf("gate: %+v", g)
	}
	if _, err := plan.New(c, nil); err != nil {
		t.Error(err)
	}
}
