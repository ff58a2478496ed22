package checkout

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

// Python is what a program of Python imports by itself that leads into the checkout: the interpreter that its environment is of, lines of .pth
// files, links among its packages, packages that were installed from the checkout. nil where nothing does. packages are folders of packages that
// it is known to have besides.
func (c Checkout) Python(program string, packages ...string) *Lead {
	name := "the environment of Python " + program
	own := filepath.Dir(filepath.Dir(program))
	prefixes := []string{own}
	if real, err := RealPath(program); err == nil && importsBeyond(own) {
		prefixes = append(prefixes, filepath.Dir(filepath.Dir(real)))
	}
	for _, prefix := range prefixes {
		if lead := c.prefix(name, prefix); lead != nil {
			return lead
		}
		packages = append(packages, sitePackages(prefix)...)
	}
	for _, folder := range packages {
		if lead := c.packages(name, folder); lead != nil {
			return lead
		}
	}
	return nil
}

// importsBeyond says whether an environment imports the packages of the Python that it is of: what is no virtual environment is that Python.
func importsBeyond(prefix string) bool {
	file := lines(filepath.Join(prefix, "pyvenv.cfg"))
	return file == nil || slices.ContainsFunc(file, func(line string) bool {
		key, value, _ := strings.Cut(line, "=")
		return strings.TrimSpace(key) == "include-system-site-packages" && strings.EqualFold(strings.TrimSpace(value), "true")
	})
}

// prefix looks at the folder that a Python is installed in.
func (c Checkout) prefix(name, folder string) *Lead {
	if lead := c.Path(name, folder); lead != nil {
		return lead
	}
	environment := filepath.Join(folder, "pyvenv.cfg")
	for _, line := range lines(environment) {
		if _, path, ok := strings.Cut(line, "="); ok && filepath.IsAbs(strings.TrimSpace(path)) && c.Holds(strings.TrimSpace(path)) {
			return &Lead{Name: name, Path: environment, By: strings.TrimSpace(path)}
		}
	}
	return nil
}

// packages looks at a folder of packages.
func (c Checkout) packages(name, folder string) *Lead {
	if lead := c.list(name, []string{folder}); lead != nil {
		return lead
	}
	return c.installed(name, folder)
}

// sitePackages are the folders of packages below a prefix, as Python and the distributions lay them out.
func sitePackages(prefix string) []string {
	var found []string
	for _, pattern := range []string{"lib*/python3*/site-packages", "lib*/python3*/dist-packages", "local/lib*/python3*/dist-packages", "local/lib*/python3*/site-packages"} {
		folders, _ := filepath.Glob(filepath.Join(escaped(prefix), pattern))
		found = append(found, folders...)
	}
	return found
}

// escaped is a path as a part of a pattern.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// installed looks at what says where packages are: .pth files with the modules that they start, .egg-link, and what pip and uv note of a
// package that they installed from a folder.
func (c Checkout) installed(name, packages string) *Lead {
	entries, _ := os.ReadDir(packages)
	for _, entry := range entries {
		file := filepath.Join(packages, entry.Name())
		switch {
		case strings.HasSuffix(file, ".pth"), strings.HasSuffix(file, ".egg-link"), isFinder(entry.Name()):
			if path := c.quoted(file); path != "" {
				return &Lead{Name: name, Path: file, By: path}
			}
		case strings.HasSuffix(file, ".dist-info"):
			if path := from(filepath.Join(file, "direct_url.json")); path != "" && c.Holds(path) {
				return &Lead{Name: name, Path: file, By: path}
			}
		}
	}
	return nil
}

// isFinder says whether a file is one that Python imports by itself, or that an editable install finds its modules by.
func isFinder(file string) bool {
	return slices.Contains([]string{"sitecustomize.py", "usercustomize.py"}, file) || strings.HasPrefix(file, "__editable__") && strings.HasSuffix(file, ".py")
}

// paths are those in a line of a file: the line itself, or what is quoted in it.
var paths = text.Pattern(`^/.*$|"/[^"]*"|'/[^']*'`)

// quoted is the first path in a file that leads into the checkout; "" where there is none. A relative line of a .pth counts from its folder.
func (c Checkout) quoted(file string) string {
	for _, line := range lines(file) {
		if relative := filepath.Join(filepath.Dir(file), line); strings.HasSuffix(file, ".pth") && line != "" && !strings.HasPrefix(line, "import") && !filepath.IsAbs(line) && c.Holds(relative) {
			return relative
		}
		for _, path := range paths().FindAllString(line, -1) {
			if path = strings.Trim(path, `"'`); c.Holds(path) {
				return path
			}
		}
	}
	return ""
}

// mostNote bounds what is read of what an installer has written down, which may lie in the checkout.
const mostNote = 1 << 20

// from is the folder that a package was installed from; "" where it was none.
func from(note string) string {
	var of struct {
		URL string `json:"url"`
	}
	text, err := untrusted.ReadLinked(note, mostNote)
	if err != nil || json.Unmarshal(text, &of) != nil {
		return ""
	}
	at, err := url.Parse(of.URL)
	if err != nil || at.Scheme != "file" {
		return ""
	}
	return at.Path
}

// lines are those of a text file, without blanks around them; none where it cannot be read.
func lines(file string) []string {
	text, err := untrusted.ReadLinked(file, mostNote)
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}
