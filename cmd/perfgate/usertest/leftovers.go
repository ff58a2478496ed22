package usertest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// LeftBehind lists what remains of runs whose folder for temporary files is tmp: files in it, and processes that were
// started with it, which it ends. What a killed program leaves for its children to clear away gets a moment.
func LeftBehind(tmp string) []string {
	if !filepath.IsAbs(tmp) {
		return []string{strconv.Quote(tmp) + " is no folder for temporary files"}
	}
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left := FilesIn(tmp)
		pids := processesIn(tmp)
		if len(left)+len(pids) == 0 {
			return nil
		}
		if time.Now().Before(deadline) {
			continue
		}
		for _, pid := range pids {
			left = append(left, "process "+strconv.Itoa(pid)+": "+commandOf(pid))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return left
	}
}

// FilesIn are the paths of what is in a folder, or why it cannot be read.
func FilesIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []string{err.Error()}
	}
	var files []string
	for _, e := range entries {
		files = append(files, filepath.Join(dir, e.Name()))
	}
	return files
}

// processesIn finds the processes whose environment names dir.
func processesIn(dir string) []int {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []int
	for _, path := range environments {
		env, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(env), dir) {
			continue // ended meanwhile, or a stranger's
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			found = append(found, pid)
		}
	}
	return found
}

func commandOf(pid int) string {
	words, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.ReplaceAll(string(words), "\x00", " ")
}
