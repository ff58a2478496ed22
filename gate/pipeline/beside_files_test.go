package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
)

// Data that lies beside a kernel and differs may be read by code that does not, whatever the library imports. What a compiler was given, and what
// nothing reads, is no data.
func TestDataBesideAKernelDiffers(t *testing.T) {
	ofAdapter := config.Kernel{Adapter: "bench/k.pg.cc", Sources: []string{"csrc/k.cc"}}
	atTheTop := config.Kernel{Adapter: "k.pg.cc"}
	noAdapter := config.Kernel{Build: &config.Build{Command: "make", Output: "build/lib/k.so"}}
	byCommand := config.Kernel{Adapter: "bench/k.pg.cc", Build: &config.Build{Command: "make", Output: "build/lib/k.so"}}
	for name, c := range map[string]struct {
		kernel     config.Kernel
		file       string
		base, head string // "" is not there; "/side" is the folder of the side
		timed      bool
	}{
		"beside the adapter":               {ofAdapter, "bench/table.bin", "fast", "slow", true},
		"below its folder":                 {ofAdapter, "bench/data/table.bin", "fast", "slow", true},
		"beside a source":                  {ofAdapter, "csrc/table.txt", "fast", "slow", true},
		"that head alone has":              {ofAdapter, "csrc/table", "", "slow", true},
		"that head lost":                   {ofAdapter, "csrc/table", "fast", "", true},
		"a library beside it":              {ofAdapter, "bench/libother.so", "fast", "slow", true},
		"the same":                         {ofAdapter, "bench/table.bin", "fast", "fast", false},
		"elsewhere":                        {ofAdapter, "data/table.bin", "fast", "slow", false},
		"in a folder of a longer name":     {ofAdapter, "bench2/table.bin", "fast", "slow", false},
		"another kernel's source":          {ofAdapter, "csrc/other.cc", "fast", "slow", false},
		"a document":                       {ofAdapter, "bench/README.md", "fast", "slow", false},
		"a recipe":                         {ofAdapter, "csrc/CMakeLists.txt", "fast", "slow", false},
		"at the top":                       {atTheTop, "table.bin", "fast", "slow", true},
		"below the top":                    {atTheTop, "data/table.bin", "fast", "slow", true},
		"the configuration":                {atTheTop, "perfgate.yaml", "fast", "slow", false},
		"of a kernel without an adapter":   {noAdapter, "table.bin", "fast", "slow", false},
		"beside a library":                 {byCommand, "build/lib/table.bin", "fast", "slow", true},
		"an object beside a library":       {byCommand, "build/lib/k.o", "fast", "slow", false},
		"code beside a library":            {byCommand, "build/lib/other.so", "\x7fELF1", "\x7fELF2", false},
		"the folder in what a build wrote": {byCommand, "build/lib/paths.txt", "/side", "/side", false},
	} {
		t.Run(name, func(t *testing.T) {
			opt := Options{Trusted: repo.Trusted{Config: &config.Config{File: "perfgate.yaml"}}}
			for side, text := range map[*Side]string{&opt.Base: c.base, &opt.Head: c.head} {
				side.Tree = t.TempDir()
				path := filepath.Join(side.Tree, c.file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if text == "/side" {
					text = "at " + side.Tree + "/build"
				}
				if text != "" {
					if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			k := Kernel{Plan: plan.KernelPlan{Kernel: c.kernel}}
			got := (&measuring{opt: opt}).besideFile(k)
			if (got == c.file) != c.timed || got != "" && got != c.file {
				t.Errorf("%q, want timed: %v", got, c.timed)
			}
			opt.ChangesKnown, opt.ChangedFiles = true, []string{c.file}
			if got := (&measuring{opt: opt}).besideFile(k); (got == c.file) != c.timed {
				t.Errorf("known: %q, want timed: %v", got, c.timed)
			}
		})
	}
}
