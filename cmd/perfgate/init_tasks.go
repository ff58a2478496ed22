package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/task"
)

// writeTasks writes a configuration for the tasks below a folder. What it leaves out is said.
func writeTasks(s *streams, cwd, folder string) (done report.Setup, err error) {
	below, err := withinFolder(cwd, folder)
	if err != nil {
		return done, err
	}
	found, err := task.Find(os.DirFS(cwd), below)
	if err != nil {
		return done, result.Usagef("--tasks %s: %v", folder, err)
	}
	var kept config.TaskStarter
	for _, f := range found {
		if f.Err != nil {
			fmt.Fprintf(s.err, "perfgate: warning: left out: %v\n", f.Err)
			continue
		}
		kept = append(kept, f)
	}
	if len(kept) == 0 {
		return done, result.Usagef("--tasks %s: no task with a solution is there: GPU MODE's is a folder with task.yml, reference.py and submission.py, "+
			"KernelBench's a file with Model, get_inputs and get_init_inputs next to one with ModelNew (docs/judge.md)", folder)
	}
	said, err := kept.Text()
	if err != nil {
		return done, result.Usage(err)
	}
	if done, err = writeNew(cwd, map[string][]byte{config.DefaultFile: said}); err != nil {
		return done, err
	}
	done.Found, done.Steps = []string{text.Count(len(kept), "task")}, []report.Step{{What: "Try it", Command: "perfgate parity"}}
	return done, nil
}

// withinFolder is a folder as a path from cwd. A configuration names nothing outside of its own folder.
func withinFolder(cwd, folder string) (string, error) {
	full, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(cwd, full)
	if err != nil || !fs.ValidPath(filepath.ToSlash(below)) {
		return "", result.Usagef("--tasks %s lies outside of the current folder, which perfgate.yaml is written to: go to a folder above it", folder)
	}
	return filepath.ToSlash(below), nil
}
