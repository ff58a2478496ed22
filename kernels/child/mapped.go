package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/org/perfgate/kernels/observe"
)

const (
	mostMaps  = 32 << 20 // bytes that are read of what one process has mapped
	mostCode  = 10_000   // files that are kept of all processes
	firstPoll = 5 * time.Millisecond
	lastPoll  = 250 * time.Millisecond
)

// code is what a child that could not be observed, and those that it has started, were seen to have loaded: what stands in for its requests.
type code struct {
	why    string   // it is not observed
	own    []string // folders that are not told of
	mu     sync.Mutex
	family family
	files  map[string]bool
	whole  bool   // files has what was loaded when the work was done, but for lack
	lack   string // what could not be read, of the first time
}

func newCode(why string, pid int, own []string) *code {
	c := &code{why: why, family: newFamily(pid), files: map[string]bool{}}
	for _, folder := range own {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			c.own = append(c.own, real)
		}
	}
	return c
}

// IsObserved says whether the requests of a child for files are recorded. Its Spec has Observe.
func (p *Process) IsObserved() bool { return p.code == nil }

// PollCode looks again and again, until a child has ended that could not be observed, for the programs and libraries that are mapped, and adds them to what
// Observed tells. What lives only for a moment is not seen.
func (p *Process) PollCode() {
	if p.code == nil {
		return
	}
	for wait := firstPoll; ; wait = min(2*wait, lastPoll) {
		p.code.mu.Lock()
		p.code.poll()
		p.code.mu.Unlock()
		select {
		case <-p.exited:
			return
		case <-time.After(wait):
		}
	}
}

// AtEnd is called when a child that could not be observed has done its work and still lives. modules are files that it says it has loaded; lack is why
// these are not all, "" where they are. With what is mapped now Observed tells them.
func (p *Process) AtEnd(modules []string, lack string) {
	p.code.mu.Lock()
	defer p.code.mu.Unlock()
	p.code.add(modules, lack)
	p.code.poll()
	p.code.whole = len(p.code.files) > 0
}

// poll leaves out processes that have ended.
func (c *code) poll() {
	for _, pid := range c.family.look() {
		files, err := mappedCode(pid)
		switch {
		case err == nil:
			c.add(files, "")
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH):
			c.add(files, err.Error())
		}
	}
}

func (c *code) add(files []string, lack string) {
	if c.lack == "" {
		c.lack = lack
	}
	for _, file := range files {
		switch {
		case slices.ContainsFunc(c.own, func(folder string) bool { return strings.HasPrefix(file, folder+"/") }):
		case len(c.files) < mostCode:
			c.files[file] = true
		case c.lack == "":
			c.lack = "too many files are loaded"
		}
	}
}

// report is what was seen, as a report that lacks the rest.
func (c *code) report() observe.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	why := c.why
	if c.lack != "" {
		why += "; " + c.lack
	}
	r := observe.Unobserved(why)
	r.Loaded = c.whole && c.lack == ""
	for _, path := range slices.Sorted(maps.Keys(c.files)) {
		r.Paths = append(r.Paths, observe.Access{Path: path, Asked: observe.Opened})
	}
	return r
}

// mappedCode are the files that a process may execute code of, without links.
func mappedCode(pid int) ([]string, error) {
	file, err := os.Open("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return nil, fmt.Errorf("read what process %d has mapped: %w", pid, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostMaps+1))
	switch {
	case err != nil:
		err = fmt.Errorf("read what process %d has mapped: %w", pid, err)
	case len(text) > mostMaps:
		err = fmt.Errorf("process %d has mapped more than %d MiB of names", pid, mostMaps>>20)
	}
	files, gone := executable(text)
	if gone != "" && err == nil {
		err = fmt.Errorf("process %d has mapped %s, which is there no more", pid, gone)
	}
	return files, err
}

// executable are the files of a process's table of mappings that it may execute. gone is one that was removed since: nobody can say what it was.
func executable(table []byte) (files []string, gone string) {
	const removed = " (deleted)"
	for line := range bytes.Lines(table) { // "from-to rwxp offset device inode   path"
		head, path, found := bytes.Cut(line, []byte(" /"))
		if fields := bytes.Fields(head); !found || len(fields) < 2 || !bytes.ContainsRune(fields[1], 'x') {
			continue
		}
		name := "/" + strings.TrimSuffix(string(path), "\n")
		name = strings.ReplaceAll(name, `\012`, "\n")
		switch {
		case !strings.HasSuffix(name, removed):
			files = append(files, name)
		case !strings.HasPrefix(name, "/memfd:") && !strings.HasPrefix(name, "/dev/"):
			gone = name
		}
	}
	slices.Sort(files)
	return slices.Compact(files), gone
}
