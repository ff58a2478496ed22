package plan

import (
	"path"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/org/perfgate/gate/config"
)

// Watched returns those of the changed files that the configuration cares about. Files are slash-separated paths
// relative to the configuration's folder; one outside of it starts with "../". Without patterns every file counts. The
// configuration itself and the adapters always count: they decide what is measured.
func Watched(cfg *config.Config, changed []string) []string {
	patterns := cfg.Watch
	if len(patterns) == 0 {
		return changed
	}
	own := map[string]bool{path.Base(cfg.File): true}
	for _, k := range cfg.Kernels {
		own[k.Adapter] = true
	}
	var watched []string
	for _, file := range changed {
		if own[file] || matches(patterns, file) {
			watched = append(watched, file)
		}
	}
	return watched
}

func matches(patterns []string, file string) bool {
	for _, p := range patterns {
		if ok, err := doublestar.Match(p, file); ok && err == nil { // config has checked the patterns
			return true
		}
	}
	return false
}
