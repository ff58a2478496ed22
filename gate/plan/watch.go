package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
)

// Watched returns those of the changed files that start a run. Files are slash-separated paths relative to the configuration's folder; one
// outside of it starts with "../". Anything can be included or opened, so no name tells that nothing reads a file: all count but those that
// paths leaves out and that the configuration does not name as a kernel's. A change of a file that turns out not to be read builds to the same code.
func Watched(cfg *config.Config, changed []string) []string {
	own, files := []string{path.Base(cfg.File)}, []string{}
	for _, k := range cfg.Kernels {
		own, files = append(own, k.OwnFiles()...), append(files, k.Files...)
		if e := cfg.EnvironmentOf(k); e != nil {
			files = append(files, e.Inputs...)
		}
	}
	return slices.DeleteFunc(slices.Clone(changed), func(file string) bool {
		return config.LeavesOut(cfg.Watch, file) && !slices.Contains(own, file) && !config.MatchesAny(files, file)
	})
}

// Files that compilers are seldom given: documents, pictures, other languages and what services are told.
var (
	documents       = strings.Fields(`.md .markdown .rst .adoc .pdf .png .jpg .jpeg .gif .svg .webp .ico`)
	unreadLanguages = strings.Fields(`.py .pyi .ipynb .js .jsx .mjs .ts .tsx .css .scss .html .go .rs .java .kt .rb .php .swift .yml .yaml`)
	unreadNames     = strings.Fields("README LICENSE COPYING NOTICE AUTHORS CHANGELOG CODEOWNERS .gitignore .editorconfig")
)

// isSeldomRead says whether nobody expects that what is built or run reads a file: an opinion, for what is said of files and tried first. A benchmark may be
// of any language, and an adapter in Python reads what it likes.
func isSeldomRead(file string, interpreted bool) bool {
	kind := path.Ext(file)
	return slices.Contains(documents, kind) || !interpreted && slices.Contains(unreadLanguages, kind) || slices.Contains(unreadNames, path.Base(file))
}
