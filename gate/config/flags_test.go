package config

import (
	"strings"
	"testing"
)

// A compiler that runs what a pull request brings builds whatever that wants.
func TestFlagsThatRunToolsOfTheTree(t *testing.T) {
	for flags, ok := range map[string]bool{
		"-O3, -march=native, -DNAME=a/b, -Iinclude, -Llib, -lfoo": true,
		"-fuse-ld=lld, -B/opt/tools, -specs=nosys.specs":          true,
		"'-Wl,-Bsymbolic,-Bstatic', '-fplugin=annobin'":           true,
		"-fplugin=/opt/plugin.so, -ccbin, g++-12":                 true,
		"-fplugin=./plugin.so":                                    false,
		"-fplugin=plugin.so":                                      false,
		"-Xclang, -load, -Xclang, tools/pass.so":                  false,
		"-specs=tools/k.specs":                                    false,
		"-Btools":                                                 false,
		"-B, tools":                                               false,
		"-wrapper, 'env,X=1'":                                     false,
		"'-Wl,-plugin,./p.so'":                                    false,
		"'-Wl,-plugin=./p.so'":                                    false,
		"-ccbin, tools/g++":                                       false,
		"-Xcompiler, -fplugin=./x.so":                             false,
		"-fuse-ld=./tools/ld":                                     false,
	} {
		_, err := Parse("perfgate.yaml", []byte("version: 1\nkernels:\n  - name: k\n    adapter: k.pg.cc\n    flags: ["+flags+"]\n"))
		if (err == nil) != ok {
			t.Errorf("[%s]: %v", flags, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "perfgate.yaml:5:") || !strings.Contains(err.Error(), "lies in the repository")) {
			t.Errorf("[%s]: no place or no reason in %v", flags, err)
		}
	}
}
