package kernels

import (
	"context"
	"testing"
)

func TestKernelsOfSeveralGPUsAreRecognised(t *testing.T) {
	r := newRig(t)
	tree := t.TempDir()
	build := func(command string) string {
		t.Helper()
		lib, err := r.builder.Build(context.Background(), BuildSpec{Kernel: "k", Tree: tree, AdapterTree: tree, Command: command, Output: "a.so"})
		must(t, err)
		return lib.Path
	}
	const nccl = `echo 'int f() { return 0; }' >n.cc && "$CXX" -shared -fPIC n.cc -Wl,-soname,libnccl.so.2 -o libnccl.so.2 &&
echo 'int f(); int g() { return f(); }' >a.cc && "$CXX" -shared -fPIC a.cc libnccl.so.2 -o a.so`
	if name, err := NeedsSeveralGPUs(build(nccl)); name != "libnccl.so.2" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	if name, err := NeedsSeveralGPUs(build(`echo 'int g() { return 0; }' >a.cc && "$CXX" -shared -fPIC a.cc -o a.so`)); name != "" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	if _, err := NeedsSeveralGPUs("several_gpus_test.go"); err == nil {
		t.Error("a text is no library")
	}
}
