package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
)

// Watched returns those of the changed files that the configuration cares about. Files are slash-separated paths
// relative to the configuration's folder; one outside of it starts with "../". Without patterns every file counts. With them
// what they match counts, and whatever a build may read: the configuration, adapters, sources and every file but those that no
// compiler is given. A change of a file that turns out not to be read builds to the same code.
func Watched(cfg *config.Config, changed []string) []string {
	patterns := cfg.Watch
	if len(patterns) == 0 {
		return changed
	}
	own, interpreted := []string{path.Base(cfg.File)}, false
	for _, k := range cfg.Kernels {
		own, patterns = append(own, k.OwnFiles()...), slices.Concat(patterns, k.Files)
		if e := cfg.EnvironmentOf(k); e != nil {
			patterns = slices.Concat(patterns, e.Inputs)
		}
		interpreted = interpreted || k.ReadsWhenRun() || slices.ContainsFunc(k.Competitors, config.Competitor.IsInterpreted)
	}
	return slices.DeleteFunc(slices.Clone(changed), func(file string) bool {
		return !slices.Contains(own, file) && !config.MatchesAny(patterns, file) && NeverRead(file, interpreted)
	})
}

// Files that no compiler is given: documents, pictures, other languages and what services are told. A name decides, not the
// text that includes it: a name may be put together by macros, and assemblers read files too.
var (
	documents       = strings.Fields(`.md .markdown .rst .adoc .pdf .png .jpg .jpeg .gif .svg .webp .ico`)
	unreadLanguages = strings.Fields(`.py .pyi .ipynb .js .jsx .mjs .ts .tsx .css .scss .html .go .rs .java .kt .rb .php .swift .yml .yaml`)
	unreadNames     = strings.Fields("README LICENSE COPYING NOTICE AUTHORS CHANGELOG CODEOWNERS .gitignore .editorconfig")
)

// NeverRead says whether nothing that is built or run reads a file. A benchmark may be of any
// language, and an adapter in Python reads what it likes.
func NeverRead(file string, interpreted bool) bool {
	kind := path.Ext(file)
	return slices.Contains(documents, kind) || !interpreted && slices.Contains(unreadLanguages, kind) || slices.Contains(unreadNames, path.Base(file))
}
