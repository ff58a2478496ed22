package kernels

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// requests are what the steps of a build asked the Linux kernel for, and for CUDA what ptxas said of the kernels of each unit.
type requests struct {
	units []observe.Report // the adapter's first
	needs [][]Resource     // so too
	link  observe.Report
}

func (r requests) all() observe.Report {
	return observe.Union(append(slices.Clone(r.units), r.link)...)
}

// places are those of one build, links followed.
type places struct {
	key  string   // what the build depends on besides files
	root string   // of the side
	own  []string // folders of perfgate
}

func (b *Builder) placesOf(s BuildSpec, stage, out string) (p places, err error) {
	if p.key, err = b.inputsKey(s, stage); err != nil {
		return p, err
	}
	if p.root, _, err = s.realFolders(); err != nil {
		return p, err
	}
	for _, folder := range b.ownFolders(s, out) {
		real, err := checkout.RealPath(folder)
		if err != nil {
			return p, fmt.Errorf("find the folders of a build: %w", err)
		}
		p.own = append(p.own, real)
	}
	return p, nil
}

// observation is what a build asked for and found, as the cache keeps it in a file that has the name of its content. It holds only builds of which
// all requests were seen.
type observation struct {
	Schema string  `json:"schema"`
	Asked  []asked `json:"asked"`
	// Resources are what was learnt of the library meanwhile, and cannot be read off it.
	Resources []Resource `json:"resources,omitempty"`
}

// asked is a path that a build asked for.
type asked struct {
	Path     string        `json:"path"` // in the side's root relative to it, else absolute
	Asked    observe.Kinds `json:"asked"`
	State    string        `json:"state"`              // of what was there
	Compiler observe.Kinds `json:"compiler,omitempty"` // and below: see Told
	Linker   observe.Kinds `json:"linker,omitempty"`
	Linked   bool          `json:"linked,omitempty"`
}

// at is where a path of an observation lies now.
func (p places) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.root, path)
}

// name is a path as an observation has it.
func (p places) name(path string) string {
	if rel, err := filepath.Rel(p.root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// isNoFile says of a request that it is for no file which could be another one in a later build: what Linux makes up when it is read, and the
// folders on the way to those of this build, whose names are others each time.
func (p places) isNoFile(a observe.Access) bool {
	if slices.ContainsFunc([]string{"/proc", "/sys", "/dev"}, func(folder string) bool { return within(folder, a.Path) }) {
		return true
	}
	const onTheWay = observe.LookedUp | observe.Linked
	return a.Asked&^onTheWay == 0 && slices.ContainsFunc(append(p.own, p.root), func(folder string) bool { return within(a.Path, folder) })
}

// observed is what a build asked for, with what is there; known is false where that need not be what the build has found.
func (b *Builder) observed(p places, lib Library, began time.Time) (o observation, known bool) {
	if len(lib.Asked.Incomplete) > 0 {
		return o, false
	}
	d, told := b.kept(), map[string]Told{}
	for _, t := range lib.Told {
		told[t.Path] = t
	}
	o.Schema, o.Resources = inputsScheme, lib.Resources
	for _, a := range lib.Asked.Paths {
		if p.isNoFile(a) {
			continue
		}
		state, known := absent, true
		if !a.Asked.Has(observe.Made) { // what the build made was not there
			state, known = stateOf(d, a)
			known = known && a.Asked&(observe.Changed|observe.Moved) == 0 && !changedSince(a, began)
		}
		name := p.name(a.Path)
		if !known || !utf8.ValidString(name+state) { // JSON has no other names
			return o, false
		}
		t := told[name]
		o.Asked = append(o.Asked, asked{name, a.Asked, state, t.Compiler, t.Linker, t.Linked})
	}
	return o, true
}

// absent is the state of a path where nothing is.
const absent = "-"

// stateOf is what lies at a path for whoever asks so for it: of a folder that is listed, the names in it as well. known is false where that cannot be read.
func stateOf(d *observe.Digests, a observe.Access) (state string, known bool) {
	state, err := d.Of(a.Path)
	if err != nil || state != "folder" || !a.Asked.Has(observe.Listed) {
		return state, err == nil
	}
	entries, err := os.ReadDir(a.Path)
	var names digest
	for _, e := range entries {
		if e.Name() != ".git" {
			names.add(e.Name())
		}
	}
	return "names " + names.sum(), err == nil
}

// kept are the digests of the cache.
func (b *Builder) kept() *observe.Digests {
	b.shared.Lock()
	defer b.shared.Unlock()
	if b.digests == nil {
		b.digests = observe.OpenDigests(b.Cache)
	}
	return b.digests
}

// changedSince says whether what lies at a path was written after a build had begun, which may have found something else.
func changedSince(a observe.Access, began time.Time) bool {
	var stat unix.Stat_t
	if unix.Lstat(a.Path, &stat) != nil || stat.Mode&unix.S_IFMT == unix.S_IFDIR && !a.Asked.Has(observe.Listed) {
		return false
	}
	return !time.Unix(stat.Ctim.Unix()).Before(began)
}

// observedFolder of the cache has a folder for each key, with the observations of the last builds in it.
const (
	observedFolder  = "observed"
	mostKept        = 16       // observations of one key
	mostObservation = 16 << 20 // bytes of one
)

// keep puts an observation into the cache and returns its name. That the cache cannot be written to is said where a library is kept.
func (b *Builder) keep(p places, o observation) (inputs string) {
	text, err := json.Marshal(o)
	if err != nil || len(text) > mostObservation {
		return ""
	}
	inputs = observationName(p.key, text)
	if b.Cache == "" {
		return inputs
	}
	folder := filepath.Join(b.Cache, observedFolder, p.key)
	_ = fill(filepath.Join(folder, inputs+".json"), os.Rename, func(tmp *os.File) error {
		_, err := tmp.Write(text)
		return err
	})
	used(folder)
	if kept := newest(folder); len(kept) > mostKept {
		for _, old := range kept[mostKept:] {
			_ = os.Remove(old)
		}
	}
	b.kept().Save()
	return inputs
}

func observationName(key string, text []byte) string {
	var d digest
	d.add(key)
	d.add(string(text))
	return d.sum()
}

// newest are the observations in a folder, what was used last first.
func newest(folder string) (paths []string) {
	for _, e := range cacheEntries(folder) {
		if filepath.Ext(e.path) == ".json" {
			paths = append(paths, e.path)
		}
	}
	return paths
}

// matching are builds that found what is there now, the last first.
func (b *Builder) matching(ctx context.Context, p places) iter.Seq[Library] {
	return func(yield func(Library) bool) {
		if b.Cache == "" {
			return
		}
		defer b.kept().Save()
		now := map[observe.Access]string{} // observations of one key have most paths in common
		for _, path := range newest(filepath.Join(b.Cache, observedFolder, p.key)) {
			o, ok := readObservation(path, p.key)
			if !ok || ctx.Err() != nil || !o.isStillSo(p, b.kept(), now) {
				continue
			}
			used(path)
			used(filepath.Dir(path))
			if !yield(p.library(o, strings.TrimSuffix(filepath.Base(path), ".json"))) {
				return
			}
		}
	}
}

// readObservation reads a file that perfgate has written; ok is false for any other.
func readObservation(path, key string) (o observation, ok bool) {
	text, err := untrusted.Read(path, mostObservation)
	if err != nil || observationName(key, text)+".json" != filepath.Base(path) {
		return o, false
	}
	return o, json.Unmarshal(text, &o) == nil && o.Schema == inputsScheme
}

func (o observation) isStillSo(p places, d *observe.Digests, now map[observe.Access]string) bool {
	for _, a := range o.Asked {
		asks := observe.Access{Path: p.at(a.Path), Asked: a.Asked & observe.Listed}
		state, seen := now[asks]
		if !seen {
			state, _ = stateOf(d, asks) // what cannot be read now is not what was found
			now[asks] = state
		}
		if state != a.State {
			return false
		}
	}
	return true
}

// library is what is known of the library that an observed build made.
func (p places) library(o observation, inputs string) Library {
	lib := Library{Inputs: inputs, Resources: o.Resources}
	for _, a := range o.Asked {
		lib.Asked.Paths = append(lib.Asked.Paths, observe.Access{Path: p.at(a.Path), Asked: a.Asked})
		if a.Compiler|a.Linker != 0 {
			lib.Told = append(lib.Told, Told{a.Path, a.Compiler, a.Linker, a.Linked})
		}
	}
	slices.SortFunc(lib.Asked.Paths, func(a, b observe.Access) int { return cmp.Compare(a.Path, b.Path) })
	return lib
}

// AskedFiles are the files of a side that its build asked for, there or not, relative to its tree and slash-separated. known is false where these need not
// be all: not all was seen, or a folder was listed, so that the build depends on every name in it.
func (s BuildSpec) AskedFiles(lib Library) (files []string, known bool, err error) {
	root, tree, err := s.realFolders()
	if err != nil {
		return nil, false, err
	}
	files = []string{s.Adapter}
	for _, a := range lib.Asked.Paths {
		info, err := os.Lstat(a.Path)
		switch {
		case !within(root, a.Path):
			continue
		case err == nil && info.IsDir() && a.Asked.Has(observe.Listed):
			return nil, false, nil
		case err == nil && info.IsDir():
			continue
		}
		if name, err := filepath.Rel(tree, a.Path); err == nil {
			files = append(files, filepath.ToSlash(name))
		}
	}
	return files, len(lib.Asked.Incomplete) == 0, nil
}

// realFolders are Root and Tree with links followed.
func (s BuildSpec) realFolders() (root, tree string, err error) {
	root, err = checkout.RealPath(s.root())
	if err == nil {
		tree, err = checkout.RealPath(s.Tree)
	}
	if err != nil {
		err = fmt.Errorf("find the side's files: %w", err)
	}
	return root, tree, err
}

// within says whether a path lies in a folder, by their names.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
