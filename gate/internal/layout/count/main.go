// Command count prints how many lines each package has, next to its budget: go run ./gate/internal/layout/count
package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/org/perfgate/gate/internal/layout"
)

// What may not grow while Go shrinks.
const (
	mostCXX    = 10338
	mostPython = 5341
)

func main() {
	if err := count(os.Stdout, os.DirFS(".")); err != nil {
		fmt.Fprintln(os.Stderr, "count, which has to run in the root of the repository:", err)
		os.Exit(1)
	}
}

func count(w io.Writer, root fs.FS) error {
	sources, err := layout.ReadSources(root)
	if err != nil {
		return err
	}
	cxx, err := linesBelow(root, "kernels/native", ".cc", ".cu", ".h")
	if err != nil {
		return err
	}
	python, err := linesBelow(root, "kernels/python/perfgate", ".py")
	if err != nil {
		return err
	}
	tests := 0
	for _, source := range sources {
		tests += source.TestLines
	}
	fmt.Fprint(w, "Lines of Go with blank lines and comments, without _test.go and testdata. A budget covers all packages of its line.\n\n lines  budget\n")
	product, packages, aside := 0, 0, 0
	for _, group := range layout.Groups {
		fmt.Fprintf(w, "%s\n", group.Name)
		for _, room := range group.Rooms {
			lines := linesOf(sources, room)
			if group.IsProduct() {
				product, packages = product+lines, packages+1
			} else {
				aside += lines
			}
			if room.With == "" {
				printRoom(w, sources, room)
			}
		}
	}
	fmt.Fprintln(w, "in all")
	printLine(w, product, layout.MostLines, fmt.Sprintf("Go of the product, in %d packages (at most %d)", packages, layout.MostPackages))
	printLine(w, aside, 0, "Go in support of tests")
	printLine(w, tests, layout.MostTestLines, "Go of tests: _test.go")
	printLine(w, cxx, mostCXX, "C++ and CUDA of kernels/native")
	printLine(w, python, mostPython, "Python of kernels/python/perfgate")
	return nil
}

// printRoom prints a room together with those that its budget covers too.
func printRoom(w io.Writer, sources map[string]*layout.Source, room layout.Room) {
	lines, names := linesOf(sources, room), room.Path
	for _, group := range layout.Groups {
		for _, other := range group.Rooms {
			if other.With == room.Path {
				lines += linesOf(sources, other)
				names += fmt.Sprintf(" + %s %d", other.Path, linesOf(sources, other))
			}
		}
	}
	printLine(w, lines, room.Budget, names)
}

func printLine(w io.Writer, lines, budget int, what string) {
	most := ""
	if budget > 0 {
		most = fmt.Sprint(budget)
	}
	fmt.Fprintf(w, "%6d %7s  %s\n", lines, most, what)
}

func linesOf(sources map[string]*layout.Source, room layout.Room) int {
	if source := sources[room.Path]; source != nil {
		return source.Lines()
	}
	return 0
}

func linesBelow(root fs.FS, folder string, extensions ...string) (int, error) {
	below, err := fs.Sub(root, folder)
	if err != nil {
		return 0, err
	}
	lines := 0
	err = layout.EachFile(below, func(_ string, src []byte) error {
		lines += layout.CountLines(src)
		return nil
	}, extensions...)
	return lines, err
}
