package observe

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/untrusted"
)

// Digests are those of files. Of large files they are kept between runs by device, inode, size and times of change: a file cannot be written
// without another time of change.
type Digests struct {
	file    string        // "" keeps none
	settles time.Duration // settledAfter
	mu      sync.Mutex
	known   map[string]string // by identity
	added   bool
}

const (
	digestsFile = "digests.json"
	// leastKept is the size of files that are read again faster than their digest is looked up.
	leastKept = 64 << 10
	// mostKept is how many digests are kept: of some ten environments of Python. Beyond, all are forgotten.
	mostKept = 20_000
	// settledAfter is when a file's time of change tells it from what is written into it next: times are as coarse as the clock of file systems.
	settledAfter = 2 * time.Second
)

// OpenDigests are those kept in a cache folder, "" for none. What cannot be read is found again.
func OpenDigests(cache string) *Digests {
	d := &Digests{settles: settledAfter, known: map[string]string{}}
	if cache == "" {
		return d
	}
	d.file = filepath.Join(cache, digestsFile)
	if text, err := untrusted.Read(d.file, 16<<20); err == nil && json.Unmarshal(text, &d.known) != nil || len(d.known) > mostKept {
		clear(d.known)
	}
	return d
}

// Of says what lies at a path, links not followed: "-" where nothing does, else the kind, and a file's digest or where a link leads. A file
// that may be executed is another. An error is of a file that cannot be read.
func (d *Digests) Of(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return "-", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "folder", nil
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		return "link " + to, err
	case !info.Mode().IsRegular():
		return "other", nil
	}
	kind := "file "
	if info.Mode()&0o100 != 0 {
		kind = "program "
	}
	sum, err := d.ofFile(path)
	return kind + sum, err
}

func (d *Digests) ofFile(path string) (string, error) {
	f, err := untrusted.Open(path, untrusted.NoLimit)
	if err != nil {
		return "", err
	}
	defer f.Close()
	identity, large, err := d.identify(f)
	if err != nil {
		return "", err
	}
	if sum := d.kept(identity); sum != "" && large {
		return sum, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(h.Sum(nil)[:16])
	if after, _, err := d.identify(f); large && err == nil && after == identity {
		d.keep(identity, sum)
	}
	return sum, nil
}

// identify is what a file is known by, and whether its digest is worth keeping and cannot be another soon.
func (d *Digests) identify(f *os.File) (identity string, kept bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false, nil
	}
	changed := time.Unix(stat.Ctim.Unix())
	identity = fmt.Sprintf("%x:%x:%x:%x:%x", stat.Dev, stat.Ino, stat.Size, info.ModTime().UnixNano(), changed.UnixNano())
	return identity, info.Size() >= leastKept && time.Since(changed) > d.settles, nil
}

func (d *Digests) kept(identity string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known[identity]
}

func (d *Digests) keep(identity, sum string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known[identity], d.added = sum, true
}

// Save keeps what was found, beside what other runs have found since. That it cannot is no loss but of time.
func (d *Digests) Save() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == "" || !d.added {
		return
	}
	all := OpenDigests(filepath.Dir(d.file)).known
	if len(all)+len(d.known) > mostKept {
		clear(all)
	}
	maps.Copy(all, d.known)
	text, err := json.Marshal(all)
	if err != nil {
		return
	}
	next, err := os.CreateTemp(filepath.Dir(d.file), strings.TrimSuffix(digestsFile, ".json")+"-*")
	if err != nil {
		return
	}
	_, err = io.Copy(next, bytes.NewReader(text))
	if errors.Join(err, next.Close()) == nil {
		err = os.Rename(next.Name(), d.file)
	}
	if err != nil {
		_ = os.Remove(next.Name())
	}
	d.added = false
}
