package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxFile is the largest file that is read.
const maxFile = 1 << 30

// ReadOptions says how to read; the zero value reads wall time.
type ReadOptions struct {
	CPUTime bool // of Google Benchmark, the CPU time
}

// Read reads a file of any format that it knows, or a folder of such files, where each JSON file is a process of its
// own. The format is told by the content.
func Read(name string, o ReadOptions) (Set, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Set{}, err
	}
	if info.IsDir() {
		return readFolder(name, o)
	}
	return ReadFS(os.DirFS(filepath.Dir(name)), filepath.Base(name), name, o)
}

// ReadFS reads one file of folder; shown is its name in messages.
func ReadFS(folder fs.FS, file, shown string, o ReadOptions) (Set, error) {
	f, err := folder.Open(file)
	if err != nil {
		return Set{}, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return Set{}, fmt.Errorf("read %s: %w", shown, err)
	}
	all := io.MultiReader(bytes.NewReader(head[:n]), f)
	if !isRecord(head[:n]) && !looksLikeJSON(head[:n]) {
		return ReadCSV(shown, all)
	}
	data, err := io.ReadAll(io.LimitReader(all, maxFile+1))
	if err != nil {
		return Set{}, fmt.Errorf("read %s: %w", shown, err)
	}
	if len(data) > maxFile {
		return Set{}, &FileError{shown, 0, fmt.Errorf("larger than %d bytes", maxFile)}
	}
	if isRecord(data) {
		return ReadRecord(shown, data)
	}
	return readJSON(shown, data, folder, path.Dir(file), o)
}

func looksLikeJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// readJSON tells the formats apart by their top-level fields.
func readJSON(shown string, data []byte, folder fs.FS, dir string, o ReadOptions) (Set, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var top map[string]json.RawMessage
	if err := decodeJSON(shown, data, 0, data, &top); err != nil {
		return Set{}, err
	}
	has := func(field string) bool { _, ok := top[field]; return ok }
	switch {
	case has("schema"):
		return ReadResult(shown, data)
	case has("benchmarks") && has("devices"):
		beside, err := fs.Sub(folder, dir)
		if err != nil {
			return Set{}, &FileError{shown, 0, err}
		}
		return ReadNVBench(shown, data, beside)
	case has("benchmarks"):
		return ReadGoogleBenchmark(shown, data, o.CPUTime)
	}
	return Set{}, &FileError{shown, 0, errors.New(
		"neither a perfgate result (schema), nor Google Benchmark (benchmarks), nor nvbench (benchmarks and devices)")}
}

// readFolder reads every .json and .csv file of a folder, in the order of their names, as one set.
func readFolder(name string, o ReadOptions) (Set, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return Set{}, err
	}
	folder := os.DirFS(name)
	var merged Set
	for _, entry := range entries {
		file := entry.Name()
		ext := strings.ToLower(path.Ext(file))
		if entry.IsDir() || (ext != ".json" && ext != ".csv") {
			continue
		}
		set, err := ReadFS(folder, file, filepath.Join(name, file), o)
		if err != nil {
			return Set{}, err
		}
		if err := merged.merge(set, file); err != nil {
			return Set{}, err
		}
	}
	if merged.Format == "" {
		return Set{}, &FileError{name, 0, errors.New("no .json or .csv file in this folder")}
	}
	merged.Path = name
	return merged, nil
}

// merge adds the processes of another file.
func (s *Set) merge(other Set, file string) error {
	if s.Format == "" {
		s.Format = other.Format
	}
	if s.Format != other.Format {
		return &FileError{other.Path, 0, fmt.Errorf("%s beside files of %s", other.Format, s.Format)}
	}
	for _, c := range other.Cases {
		for i := range c.Processes {
			c.Processes[i].ID = file + ":" + c.Processes[i].ID
		}
		at := slices.IndexFunc(s.Cases, func(have Case) bool { return have.Name == c.Name })
		if at < 0 {
			s.Cases = append(s.Cases, c)
			continue
		}
		have := &s.Cases[at]
		have.Processes = append(have.Processes, c.Processes...)
		if have.Failed == "" {
			have.Failed = c.Failed
		}
	}
	for _, note := range other.Notes {
		if !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
	return nil
}

// ReadBoth reads two sets at the same time.
func ReadBoth(oldName, newName string, o ReadOptions) (base, head Set, err error) {
	var headErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		head, headErr = Read(newName, o)
	}()
	base, err = Read(oldName, o)
	<-done
	return base, head, errors.Join(err, headErr)
}
