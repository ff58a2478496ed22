package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftBehind lists what remains of runs whose folder for temporary files is tmp: files in it, and processes that were
// started with it. What a killed program leaves for its children to clear away gets a moment.
func leftBehind(tmp string) []string {
	var left []string
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left = append(filesIn(tmp), processesIn(tmp)...)
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

func filesIn(dir string) []string {
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
func processesIn(dir string) []string {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []string
	for _, path := range environments {
		if env, err := os.ReadFile(path); err != nil || !strings.Contains(string(env), dir) {
			continue // ended meanwhile, or a stranger's
		}
		command, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err == nil && len(command) > 0 {
			found = append(found, fmt.Sprintf("process %s: %s", filepath.Base(filepath.Dir(path)), strings.ReplaceAll(string(command), "\x00", " ")))
		}
	}
	return found
}
