package kernels

import (
	"strings"
	"testing"
)

// Clang looks for a precompiled header beside one that flags include, and nothing that comes first keeps it from that.
func TestPrecompiledHeadersOfClangAreRefused(t *testing.T) {
	s := BuildSpec{Flags: []string{"-O2", "-include", "k.h", "-O3"}}
	r := &rig{t: t, builder: &Builder{Compiler: Compiler{Version: "Debian clang version 17"}}}
	r.lay(&s, map[string]string{"k.h": ""}, nil)
	if err := r.builder.checkPrecompiled(s); err != nil {
		t.Error(err)
	}
	write(t, s.Tree+"/k.h.pch", "")
	if err := r.builder.checkPrecompiled(s); err == nil || !strings.Contains(err.Error(), "k.h.pch") {
		t.Errorf("%v, want a refusal", err)
	}
}
