package kernels

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/untrusted"
)

// SidesRun is what the processes of two adapters in Python did so far, one of each side.
type SidesRun struct {
	base, head *hosted
	opened     []string // files of a side that either has read, relative to its tree
	// Programs that either has started, beside compilers: each may have read any file.
	Programs []string
}

// RunOf reads what was kept of the processes of two adapters in Python.
func RunOf(base, head Library) (SidesRun, error) {
	var r SidesRun
	var err error
	if r.base, err = readHosted(base.Path); err != nil {
		return r, err
	}
	if r.head, err = readHosted(head.Path); err != nil {
		return r, err
	}
	for _, h := range []*hosted{r.base, r.head} {
		for _, line := range h.opened() {
			if line.Program != "" {
				r.Programs = append(r.Programs, line.Program)
			} else {
				r.opened = append(r.opened, line.File)
			}
		}
	}
	for _, names := range []*[]string{&r.opened, &r.Programs} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return r, nil
}

// unreadKinds end the names of files that nothing but Python reads, or nothing at all. Others (data, headers) may be read by libraries, which is not
// seen.
var unreadKinds = []string{".py", ".pyi", ".md", ".rst"}

// LeftOut says whether a file of the sides had no part in what ran: a module that neither has imported or opened, or a text for people.
func (r SidesRun) LeftOut(file string) bool {
	return len(r.opened) > 0 && len(r.Programs) == 0 && slices.Contains(unreadKinds, filepath.Ext(file)) && !slices.Contains(r.opened, file)
}

// Differs names what the two did not have in common, though both are made of the same files: a file that one of them read of its side when
// it was needed, code that a framework compiled, or what is in the way of telling. "" for nothing.
func (r SidesRun) Differs() string {
	for _, file := range r.opened {
		was, err1 := hashFile(filepath.Join(r.base.Tree, file))
		is, err2 := hashFile(filepath.Join(r.head.Tree, file))
		if was != is || err1 != nil || err2 != nil {
			return file
		}
	}
	was, err1 := compiledCode(r.base.Caches)
	is, err2 := compiledCode(r.head.Caches)
	if err := errors.Join(err1, err2); err != nil {
		return "compiled code that could not be read: " + err.Error()
	}
	for _, pair := range [][2]map[string]string{{was, is}, {is, was}} {
		for _, digest := range slices.Sorted(maps.Keys(pair[0])) {
			if _, both := pair[1][digest]; !both {
				return "compiled code (" + pair[0][digest] + ")"
			}
		}
	}
	return ""
}

const mostOpenedBytes = 4 << 20 // code under test decides what is in the list

// openedLine is a file of a side that was read, relative to its tree, or a program that was started.
type openedLine struct {
	File    string `json:"file"`
	Program string `json:"program"`
}

// opened is what the adapter's processes have kept of that (perfgate/_imports.py).
func (h *hosted) opened() []openedLine {
	text, err := untrusted.Read(filepath.Join(h.Caches, "opened"), mostOpenedBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // none has run
	}
	if err != nil { // the adapter's processes can write it, too
		return []openedLine{{Program: "more than can be told"}}
	}
	var out []openedLine
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var line openedLine
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			out = append(out, line)
		}
	}
	return out
}

// compiledCode are digests of the machine code below a folder of caches, GPU code and libraries for the host, with the name of a file that
// holds it. Folders with equal digests hold the same code, whatever the files are called.
func compiledCode(caches string) (map[string]string, error) {
	names := map[string]string{}
	runs := filepath.Dir(filepath.Dir(caches)) // the private folder that builds and processes have theirs in
	err := filepath.WalkDir(caches, func(path string, entry fs.DirEntry, err error) error {
		kind := filepath.Ext(path)
		if err != nil || kind != ".cubin" && kind != ".so" || !entry.Type().IsRegular() {
			return err
		}
		if len(names) == mostCubins {
			return fmt.Errorf("more than %d files", mostCubins)
		}
		sum, err := codeDigest(path, runs)
		names[sum] = entry.Name()
		return err
	})
	return names, err
}

// codeDigest tells code from other code of its kind. That of a library is of all a loader maps, or of the whole file where it is none; its source
// lay in a temporary folder of a run.
func codeDigest(path, runs string) (string, error) {
	if filepath.Ext(path) == ".cubin" {
		return cubinDigest(path)
	}
	digest, err := fingerprint(path, runs)
	if err != nil {
		return hashFile(path)
	}
	return digest, nil
}
