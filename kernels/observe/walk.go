package observe

import (
	"cmp"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/text"
)

// mostLinks is how many Linux follows on the way to a file.
const mostLinks = 40

// found is what a path leads to.
type found struct {
	path string // absolute and clean; "" is the root
	mode uint32 // type and permissions; 0 where nothing is there
}

func (f found) there() bool { return f.mode != 0 }

func (f found) is(kind uint32) bool { return f.mode&unix.S_IFMT == kind }

// walk goes from a folder along a path, link by link, as Linux does for the thread that asked.
type walk struct {
	o       *observer
	n       *notification
	root    string
	dir     string // where it is; a folder, and no link
	pending string // what is left
	links   int
	ofOne   bool // the way led over what is different for each process
}

// end is where the path leads; without one it is what the descriptor is open on.
func (w *walk) end(follow bool) (found, bool) {
	if w.pending != "" {
		return w.to(follow)
	}
	var stat unix.Stat_t
	if unix.Lstat(cmp.Or(w.dir, "/"), &stat) != nil {
		return found{}, false
	}
	return found{w.dir, stat.Mode}, true
}

// to goes to the end. follow says whether a link there is followed as well. ok is false where there is no file at all that could be told.
func (w *walk) to(follow bool) (f found, ok bool) {
	for {
		name := w.next()
		last := w.pending == ""
		switch name {
		case "":
			return found{w.dir, unix.S_IFDIR}, true
		case ".":
			continue
		case "..":
			if w.dir != w.root {
				w.dir = w.dir[:strings.LastIndexByte(w.dir, '/')]
			}
			continue
		}
		if w.self(name) {
			continue
		}
		at := w.dir + "/" + name
		if !last && w.o.plain[at] {
			w.dir = at
			continue
		}
		var stat unix.Stat_t
		if unix.Lstat(at, &stat) != nil {
			return w.missing(at), true
		}
		isLink, isFolder := stat.Mode&unix.S_IFMT == unix.S_IFLNK, stat.Mode&unix.S_IFMT == unix.S_IFDIR
		switch {
		case last && !(isLink && follow):
			return found{at, stat.Mode}, true
		case isLink && magicLink().MatchString(at):
			if f, ended, ok := w.jump(at, last); ended {
				return f, ok
			}
		case isLink:
			if w.links++; w.links > mostLinks || !w.through(at) {
				return found{path: at}, true
			}
		case isFolder:
			if !w.ofOne && w.o.settled() {
				w.o.plain[at] = true
			}
			w.dir = at
		default: // a file, and the path goes on
			return found{path: at}, true
		}
	}
}

// next takes the next name from what is left. A blank after the last one asks for a folder: it is left as a dot.
func (w *walk) next() string {
	w.pending = strings.TrimLeft(w.pending, "/")
	name, rest, more := strings.Cut(w.pending, "/")
	if more && strings.Trim(rest, "/") == "" && name != "" {
		rest = "."
	}
	w.pending = rest
	return name
}

// missing is a path on which something is not there. What is asked for is the whole of it, unless that cannot be told.
func (w *walk) missing(at string) found {
	rest := strings.Trim(w.pending, "/")
	for name := range strings.SplitSeq(rest, "/") {
		if name == ".." {
			return found{path: at}
		}
	}
	for name := range strings.SplitSeq(rest, "/") {
		if name != "" && name != "." {
			at += "/" + name
		}
	}
	return found{path: at}
}

// through follows a link, which was asked for as well.
func (w *walk) through(at string) bool {
	w.o.record(found{at, unix.S_IFLNK}, Linked)
	target, err := os.Readlink(at)
	if err != nil {
		return false
	}
	if strings.HasPrefix(target, "/") {
		w.dir = w.root
	}
	if w.pending != "" {
		target += "/" + w.pending
	}
	w.pending = target
	return true
}

// self takes the steps in /proc that are another process's than ours.
func (w *walk) self(name string) bool {
	if w.dir != "/proc" || (name != "self" && name != "thread-self") {
		return false
	}
	w.ofOne = true
	w.dir = "/proc/" + process(w.n)
	if name == "thread-self" {
		w.dir += "/task/" + strconv.Itoa(int(w.n.pid))
	}
	return true
}

// outsideOfProcesses names what Linux says of the thread's own process as that, since ids differ each time. What it says of others is left
// out: it is no file.
func (w *walk) outsideOfProcesses(path string) (string, bool) {
	rest, in := strings.CutPrefix(path, "/proc/")
	id, rest, _ := strings.Cut(rest, "/")
	if !in || id == "" || id[0] < '0' || id[0] > '9' {
		return path, true
	}
	w.ofOne = true
	if id != process(w.n) {
		return "", false
	}
	return strings.TrimSuffix("/proc/self/"+rest, "/"), true
}

// magicLink are those that Linux makes up for what a process holds: they lead where no path may.
var magicLink = text.Pattern(`^/proc/[0-9]+/(task/[0-9]+/)?(cwd|root|exe|fd/[0-9]+|map_files/[0-9a-f-]+|ns/\w+)$`)

// jump follows a magic link. ended says that there is no more to follow.
func (w *walk) jump(at string, last bool) (f found, ended, ok bool) {
	w.ofOne = true
	target, err := os.Readlink(at)
	if err != nil {
		w.o.unread("what a process holds: " + at)
		return found{}, true, false
	}
	file, ok := w.o.magic(target)
	if !ok {
		return found{}, true, false
	}
	var stat unix.Stat_t
	if unix.Stat(file+"/.", &stat) == nil {
		w.dir = file
		return found{}, false, true
	}
	if !last || unix.Lstat(file, &stat) != nil {
		return found{path: file}, true, true
	}
	return found{file, stat.Mode}, true, true
}
