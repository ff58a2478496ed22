package kernels

import (
	"os"
	"path/filepath"

	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// ForeignFile is a file in one of other folders that was read or started where the folder own has one of that name in that place: who asked did not take
// what it was given. "" where there is none.
func ForeignFile(asked observe.Report, own string, others []string) string {
	own, err := checkout.RealPath(own)
	if err != nil {
		return ""
	}
	var folders []string
	for _, folder := range others {
		if real, err := checkout.RealPath(folder); err == nil {
			folders = append(folders, real)
		}
	}
	for _, a := range asked.Paths {
		if a.Asked&(observe.Opened|observe.Executed) == 0 || within(own, a.Path) || !isFile(a.Path) {
			continue
		}
		for _, folder := range folders {
			if name, err := filepath.Rel(folder, a.Path); err == nil && filepath.IsLocal(name) && isFile(filepath.Join(own, name)) {
				return a.Path
			}
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Elsewhere is the advice for who finds that a build does not read what it was given.
const Elsewhere = "a build folder that was set up there has come along, such as one of CMake's that git keeps: keep it out of git, " +
	"and have the command set up a new one (cmake -S . -B build && cmake --build build)"
