package kernels

import (
	"context"
	"os"
	"path/filepath"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// threadNames is a library that gives no thread but the calling one its name, and says that it did. The driver of a GPU names its threads
// through /proc/self and does not start where it may not. In the sandbox /proc/self is open to the process that was started, and closed to
// those that it forks: what allowed theirs would allow reading what every process was started with.
const threadNames = `#include <pthread.h>
#include <sys/prctl.h>
extern "C" int pthread_setname_np(pthread_t thread, const char *name) noexcept {
  if (pthread_equal(thread, pthread_self())) prctl(PR_SET_NAME, name, 0, 0, 0);
  return 0;
}
`

// preloaded is what programs are started with in the sandbox of a machine with a GPU; "" means nothing.
func (s CommandSpec) preloaded(ctx context.Context) string {
	if len(sandbox.CUDA().Devices) == 0 {
		return ""
	}
	return threadNamesLibrary(ctx, s.Scratch)
}

// threadNamesLibrary compiles threadNames into a private folder, once. Where it cannot, it is "": programs that the command becomes start all
// the same, and others are told by hintForked.
func threadNamesLibrary(ctx context.Context, scratch string) string {
	library := filepath.Join(scratch, "thread-names.so")
	if _, err := os.Stat(library); err == nil {
		return library
	}
	path, err := compilerPath()
	if err != nil {
		return ""
	}
	dir, err := os.MkdirTemp(scratch, "thread-names-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	source, made := filepath.Join(dir, "names.cc"), filepath.Join(dir, "names.so")
	if os.WriteFile(source, []byte(threadNames), 0o600) != nil {
		return ""
	}
	spec := child.Spec{Path: path, Args: []string{"-O1", "-shared", "-fPIC", "-o", made, source}, Dir: dir, Env: compilerEnv(dir)}
	if _, err := runCompiler(ctx, spec, "the library for names of threads"); err != nil || os.Rename(made, library) != nil {
		return ""
	}
	return library
}
