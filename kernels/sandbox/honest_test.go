package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const threads = `#include <pthread.h>
#include <stdio.h>
#include <omp.h>
#include <thread>
static void *add(void *at) { ++*(int *)at; return nullptr; }
int main() {
  int n = 0, sum = 0;
  pthread_t one;
  pthread_create(&one, nullptr, add, &n);
  pthread_join(one, nullptr);
  std::thread([&] { n++; }).join();
#pragma omp parallel for reduction(+ : sum) num_threads(4) proc_bind(close)
  for (int i = 0; i < 100; i++) sum += i;
  printf("threads %d, sum %d\n", n, sum);
}
`

const python = `import multiprocessing, subprocess, socket
def work(pipe):
    pipe.send(sum(range(10)))
if __name__ == "__main__":
    ours, theirs = multiprocessing.Pipe()
    p = multiprocessing.get_context("fork").Process(target=work, args=(theirs,))
    p.start()
    print("multiprocessing", ours.recv())
    p.join()
    print("subprocess", subprocess.run(["echo", "works"], capture_output=True, text=True).stdout.strip())
    a, b = socket.socketpair()
    a.sendall(b"pair")
    print(b.recv(4).decode())
    try:
        socket.getaddrinfo("localhost", 80)
    except OSError as e:
        print("no names:", type(e).__name__)
`

// What builds and kernels honestly do works under the filter.
func TestHonestProgramsWork(t *testing.T) {
	needSeccomp(t)
	for name, c := range map[string]struct {
		needs, file, text string // a program that has to be installed, and a file to write
		script            string
		want              string
	}{
		"threads and OpenMP": {"g++", "t.cc", threads, "g++ -O1 -fopenmp -pthread t.cc -o t && ./t && OMP_PROC_BIND=true ./t", "threads 2, sum 4950\nthreads 2, sum 4950\n"},
		"make with jobs": {"make", "Makefile", "all: a b c\na b c:\n\t@sleep 0.1; echo $@ >$@\nsub:\n\t@$(MAKE) --no-print-directory all\n",
			"make -s -j3 sub && cat a b c", "a\nb\nc\n"},
		"leak sanitizer": {"g++", "l.cc", "#include <stdlib.h>\nint main() { volatile char *p = (char *)malloc(7); p[0] = 1; p = nullptr; return 0; }\n",
			"g++ -fsanitize=address -g l.cc -o l || { echo skip; exit 0; }; ASAN_OPTIONS=exitcode=0 exec ./l", "7 byte(s) leaked"},
		"thread sanitizer": {"g++", "r.cc", threads, "g++ -fsanitize=thread -fopenmp -pthread r.cc -o r || { echo skip; exit 0; }; ./r 2>&1 | tail -n 1", ""},
		"valgrind":         {"valgrind", "v", "", "exec valgrind --tool=callgrind --callgrind-out-file=out -q /bin/echo counted", "counted\n"},
		"Python":           {"python3", "m.py", python, `"$PYTHON" m.py 2>&1`, "multiprocessing 45\nsubprocess works\npair\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(c.needs)
			if err != nil {
				t.Skipf("%s is not installed", c.needs)
			}
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644))
			if c.needs == "python3" { // the program itself, not what chooses between several
				out, err := exec.Command(path, "-c", "import sys; print(sys.executable); print(sys.base_prefix)").Output()
				if err != nil {
					t.Skip(err)
				}
				lines := strings.Fields(string(out))
				path = lines[0]
				t.Setenv("LD_LIBRARY_PATH", filepath.Join(lines[1], "lib"))
			}
			t.Setenv("TMPDIR", dir)
			t.Setenv("PYTHON", path)
			box := System().With(Policy{Write: []string{dir}}, Toolchain(path), SearchPath(), Accounts())
			out := start(t, box, "/bin/sh", "-c", "cd "+dir+" && "+c.script)
			if out == "skip\n" {
				t.Skip("this compiler has no such sanitizer")
			}
			if !strings.Contains(out, c.want) || strings.Contains(out, "exit status") {
				t.Errorf("%q", out)
			}
		})
	}
}
