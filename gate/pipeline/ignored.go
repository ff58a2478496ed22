package pipeline

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// ignoredHint says that a file which a revision lacks lies in the checkout, where git ignores it: what a build generates is in no
// revision. "" where that is not so.
func (w *workshop) ignoredHint(ctx context.Context, called string, side Side, fault *kernels.BuildError) string {
	if fault.Missing == "" || w.checkout == "" || side.Info.Kind != result.KindRevision {
		return ""
	}
	ignored, err := repo.Ignored(ctx, w.checkout)
	if err != nil {
		return "" // no repository, or one with more than can be read: the compiler's words have to do
	}
	wanted := "/" + strings.TrimLeft(path.Clean("/"+fault.Missing), "/")
	for _, file := range ignored {
		if strings.HasSuffix("/"+file, wanted) {
			return fmt.Sprintf("; %s lies in the checkout and git ignores it, so %s, a revision, is without it: commit it, or generate it in build.command", file, called)
		}
	}
	return ""
}
