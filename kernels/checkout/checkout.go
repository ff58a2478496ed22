// Package checkout finds what this process would read or run from within a checkout: links, variables of the environment, modules of
// Python. Whoever changes a file there decides what is run, so where the base's policy counts, nothing that both sides run, or that
// decides over them, may lie there or be reached through a link there.
//
//	folder -> links, environment variables and Python paths that lead into it -> what to do about each
package checkout

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Checkout is a set of folders that a change could write to.
type Checkout struct {
	names   []string      // absolute, as they were given and without links
	folders []os.FileInfo // of those that are there
	within  map[string]bool
}

// In are the folders that a change could write to. Empty names are left out.
func In(folders ...string) Checkout {
	c := Checkout{within: map[string]bool{}}
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		if abs, err := filepath.Abs(folder); err == nil {
			c.names = append(c.names, abs)
		}
		if real, err := RealPath(folder); err == nil {
			c.names = append(c.names, real)
		}
		if info, err := os.Stat(folder); err == nil {
			c.folders = append(c.folders, info)
		}
	}
	slices.Sort(c.names)
	c.names = slices.Compact(c.names)
	return c
}

// Lead is something that leads into a checkout: it says what, and what to do.
type Lead struct {
	Name string // a variable of the environment, or what else names the path
	Path string // as it stands there; "" is an empty element, which means the folder that a process works in
	By   string // what of the path leads into the checkout, where that is not the path itself
}

func (l *Lead) Error() string {
	text := fmt.Sprintf("%s leads into the checkout: %.300q", l.Name, l.Path)
	switch {
	case l.Path == "":
		text = l.Name + " has an empty element, which means the folder that a process works in, a part of the checkout"
	case l.By == relative:
		text += " counts from the folder that a process works in"
	case l.By != "":
		text += fmt.Sprintf(" has %.300q", l.By)
	}
	return text + ". A change could replace what lies there, and it would run for both sides and for what compares them: use one outside of the checkout " +
		"(an environment of Python in ~/.venvs/NAME, or below $RUNNER_TOOL_CACHE in a job), or take it out of " + l.Name
}

// relative is how a path leads that counts from wherever a process works.
const relative = "."

// Holds says whether a path lies in the checkout, or leads through a link that lies there: whoever may change the link says what is found.
func (c Checkout) Holds(path string) bool {
	if !filepath.IsAbs(path) {
		cwd, err := os.Getwd()
		if err != nil {
			return true
		}
		path = cwd + "/" + path // not cleaned: behind a link, ".." is another folder than its spelling says
	}
	places, whole := way("/", path, mostLinks)
	return !whole || slices.ContainsFunc(places, c.lies)
}

// lies says whether a path is a folder of the checkout or lies in it, by the file system and not by its spelling, so that a second mount of a
// folder is the same; what is not there is known by its name.
func (c Checkout) lies(path string) bool {
	if known, ok := c.within[path]; ok {
		return known
	}
	is := slices.Contains(c.names, path)
	if info, err := os.Stat(path); !is && err == nil {
		is = slices.ContainsFunc(c.folders, func(folder os.FileInfo) bool { return os.SameFile(info, folder) })
	}
	if parent := filepath.Dir(path); !is && parent != path {
		is = c.lies(parent)
	}
	c.within[path] = is
	return is
}

// Path is the lead of a single path that name stands for; nil where it leads elsewhere.
func (c Checkout) Path(name, path string) *Lead {
	if c.Holds(path) {
		return &Lead{Name: name, Path: path}
	}
	return nil
}

// Folder is Path for a folder that something of ours is kept in: a checkout may not lie in it either.
func (c Checkout) Folder(name, path string) *Lead {
	if lead := c.Path(name, path); lead != nil {
		return lead
	}
	real, err := RealPath(path)
	if err != nil {
		return &Lead{Name: name, Path: path}
	}
	for _, folder := range c.names {
		if In(real).Holds(folder) {
			return &Lead{Name: name, Path: path, By: folder}
		}
	}
	return nil
}

// list goes through the folders and files of a variable that is a list of them, and through the links in those folders.
func (c Checkout) list(name string, elements []string) *Lead {
	for _, element := range elements {
		switch {
		case element == "":
			return &Lead{Name: name}
		case !filepath.IsAbs(element):
			return &Lead{Name: name, Path: element, By: relative}
		case c.Holds(element):
			return &Lead{Name: name, Path: element}
		}
		if link := c.link(element); link != "" {
			return &Lead{Name: name, Path: element, By: link}
		}
	}
	return nil
}

// link is the name of a link in a folder that leads into the checkout; "" where there is none.
func (c Checkout) link(folder string) string {
	entries, _ := os.ReadDir(folder) // what cannot be listed is found by its name all the same, and then it is the system's
	for _, entry := range entries {
		if entry.Type()&os.ModeSymlink != 0 && c.Holds(filepath.Join(folder, entry.Name())) {
			return entry.Name()
		}
	}
	return ""
}
