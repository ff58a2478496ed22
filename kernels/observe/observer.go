package observe

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// observer records what a process tree asks for.
type observer struct {
	options  Options
	valid    func() bool // whether the call that is looked at still waits, so that what was read is of its process
	requests int
	buffer   [mostPath]byte

	paths   map[string]Kinds
	made    map[string]bool // by the tree, where nothing was
	bound   map[string]bool // names of sockets that lie in no folder, by the tree
	reasons map[ReasonKind]*Reason

	asked  map[string]bool // what needs no second look: a path from one folder, asked for in one way
	plain  map[string]bool // folders that are reached without a link
	moving map[uint32]bool // threads that were about to change links, and may not have yet
	rooted bool            // a process may have another root
	files  int             // paths of the call that is looked at that are files or not there
}

func newObserver(o Options) *observer {
	for _, folders := range []*[]string{&o.Own, &o.Trees, &o.Caches, &o.Kept} {
		*folders = resolved(*folders)
	}
	if o.Most == 0 {
		o.Most = mostPaths
	}
	return &observer{
		options: o, valid: func() bool { return true }, paths: map[string]Kinds{}, made: map[string]bool{}, bound: map[string]bool{},
		reasons: map[ReasonKind]*Reason{}, asked: map[string]bool{}, plain: map[string]bool{}, moving: map[uint32]bool{},
	}
}

// resolved are folders as paths lead to them once links are followed.
func resolved(folders []string) []string {
	var out []string
	for _, folder := range folders {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folder = real
		}
		if absolute, err := filepath.Abs(folder); err == nil {
			out = append(out, absolute)
		}
	}
	return out
}

// look records what one call asks for.
func (o *observer) look(calls map[int32]call, n *notification) {
	o.requests++
	if len(o.paths) >= o.options.Most {
		o.because(TooMany, "")
		return
	}
	if n.pid == 0 {
		o.because(Namespaces, "a process that is not seen from outside")
		return
	}
	o.files = 0
	o.settle(n)
	c := calls[n.number]
	for _, a := range c.asks {
		o.ask(n, a)
	}
	if c.also != nil {
		c.also(o, n)
	}
}

// ask records one path of a call.
func (o *observer) ask(n *notification, a ask) {
	var text []byte
	if a.path != noPath {
		var ok bool
		if text, ok = o.text(n, n.arguments[a.path]); !ok {
			return
		}
	}
	// Without a path a call means the descriptor, if it means anything. To look at that tells nothing that its open did not.
	if len(text) == 0 && (a.dir == workingDir || a.kinds == LookedUp) {
		return
	}
	if a.flags != noFlags && n.arguments[a.flags]&a.invert != 0 {
		a.entry = !a.entry
	}
	o.from(n, a, string(text))
}

// from records a path that begins where a call says.
func (o *observer) from(n *notification, a ask, text string) {
	w := walk{o: o, n: n, pending: text}
	if a.inRoot || !strings.HasPrefix(text, "/") {
		var ok bool
		if w.dir, ok = o.folder(n, a); !ok {
			return
		}
	}
	if a.inRoot {
		w.root = w.dir
	} else if w.root = o.root(n); strings.HasPrefix(text, "/") {
		w.dir = w.root
	}
	key := string([]byte{byte(a.kinds), flag(a.entry), flag(a.inRoot)}) + w.dir + "\x00" + text
	if o.asked[key] {
		o.files++ // what is moved is looked at each time, and this is not
		return
	}
	if !o.valid() {
		return
	}
	f, ok := w.end(!a.entry)
	if !ok {
		return
	}
	if f.is(unix.S_IFREG) || !f.there() {
		o.files++
	}
	if f.path, ok = w.outsideOfProcesses(f.path); !ok {
		return
	}
	if a.socket && f.there() && !o.isMade(f.path) {
		o.because(Connections, f.path)
	}
	o.record(f, a.kinds)
	switch {
	case a.kinds.Has(Executed):
		o.starts(n, f, 0)
	case o.settled() && !w.ofOne && !a.kinds.Has(Changed) && (f.there() || !strings.Contains(text, "..")):
		if len(o.asked) >= o.options.Most {
			o.forget()
		}
		o.asked[key] = true
	}
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// record adds what a path leads to.
func (o *observer) record(f found, kinds Kinds) {
	path := f.path
	if path == "" {
		path = "/"
	}
	if below(path, o.options.Own) && !below(path, o.options.Kept) || o.isMade(path) {
		return
	}
	switch {
	case !f.there() && kinds.Has(Made):
		o.make(path)
		kinds = Made
	case !f.there() && kinds == Changed:
		kinds = LookedUp
	default:
		kinds &^= Made
	}
	if kinds == 0 {
		kinds = LookedUp
	}
	o.judge(path, f, kinds)
	o.paths[path] |= kinds
}

// make notes that the tree makes a path. Where that is not possible because the folder is missing, that matters.
func (o *observer) make(path string) {
	o.made[path] = true
	parent := filepath.Dir(path)
	var stat unix.Stat_t
	if !o.plain[parent] && unix.Lstat(parent, &stat) != nil {
		o.record(found{path: parent}, LookedUp)
	}
}

// isMade says whether the tree has made a path or a folder around it.
func (o *observer) isMade(path string) bool {
	for len(o.made) > 0 && len(path) > 1 {
		if o.made[path] {
			return true
		}
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return false
}

// judge looks whether what lies at a path is of other runs too.
func (o *observer) judge(path string, f found, kinds Kinds) {
	const system = LookedUp | Linked
	switch {
	case below(path, o.options.Trees):
	case below(path, o.options.Kept) && !kinds.Has(Changed):
	case below(path, o.options.Caches) && kinds&^system != 0 && (f.there() || kinds.Has(Made)):
		o.because(SharedCache, path)
	case strings.HasPrefix(path, "/dev/shm/") && f.there():
		o.because(SharedMemory, path)
	case kinds.Has(Changed) && f.is(unix.S_IFREG) && !below(path, []string{"/proc", "/sys", "/dev"}):
		o.because(SharedCache, path)
	}
}

// below says whether a path is one of some folders or in one.
func below(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return strings.HasPrefix(path, folder) && (len(path) == len(folder) || path[len(folder)] == '/' || folder == "/")
	})
}

// because notes why the report may lack something.
func (o *observer) because(kind ReasonKind, detail string) {
	if o.reasons[kind] == nil {
		o.reasons[kind] = &Reason{Kind: kind, Detail: detail}
	}
	o.reasons[kind].Times++
}

// unread notes that something of a process could not be read, unless it has been killed since.
func (o *observer) unread(what string) {
	if o.valid() {
		o.because(Unread, what)
	}
}

// otherLinks forgets what is known of the way to files, since a thread is about to change that. Until it has, nothing new is known.
func (o *observer) otherLinks(n *notification) {
	o.forget()
	o.moving[n.pid] = true
}

func (o *observer) forget() {
	clear(o.asked)
	clear(o.plain)
}

// settle takes note of threads that have changed links: the one that asks for more, and those that are gone.
func (o *observer) settle(n *notification) {
	for thread := range o.moving {
		var stat unix.Stat_t
		if thread == n.pid || unix.Lstat(ofThread(thread, ""), &stat) != nil {
			delete(o.moving, thread)
		}
	}
}

// settled says whether what is found now stays so.
func (o *observer) settled() bool { return len(o.moving) == 0 }

func (o *observer) report() Report {
	r := Report{Requests: o.requests}
	r.Paths, r.Incomplete = listed(o.paths, o.reasons)
	return r
}

// SharedCaches are the folders in which tools keep what they may take again in a later run, by an environment such as os.Environ().
func SharedCaches(environ []string) []string {
	value := map[string]string{}
	for _, entry := range environ {
		name, v, _ := strings.Cut(entry, "=")
		value[name] = v
	}
	home := value["HOME"]
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	var folders []string
	for _, name := range []string{".cache", ".ccache", ".nv", ".triton", ".cupy", ".cargo/registry", ".npm", ".gradle", ".m2", ".conan", ".conan2"} {
		folders = append(folders, filepath.Join(home, name))
	}
	for _, name := range []string{"XDG_CACHE_HOME", "CCACHE_DIR", "SCCACHE_DIR", "CUDA_CACHE_PATH", "TRITON_CACHE_DIR", "CUPY_CACHE_DIR", "PYTHONPYCACHEPREFIX", "NUMBA_CACHE_DIR"} {
		if filepath.IsAbs(value[name]) {
			folders = append(folders, value[name])
		}
	}
	return folders
}
