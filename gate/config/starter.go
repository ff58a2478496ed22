package config

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"
	"sync"
	"text/template"
	"time"
)

//go:embed starters/*.yaml
var starterFiles embed.FS

// starters are first configurations as they are written.
var starters = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Delims("<<", ">>").Funcs(template.FuncMap{"yaml": yamlText}).ParseFS(starterFiles, "starters/*.yaml"))
})

// starterText is a first configuration. Its error is an Errors about what it was made of.
func starterText(file string, words any) ([]byte, error) {
	var text bytes.Buffer
	if err := starters().ExecuteTemplate(&text, file, words); err != nil {
		return nil, fmt.Errorf("write a first configuration: %w", err)
	}
	_, err := Parse(DefaultFile, text.Bytes())
	return text.Bytes(), err
}

// yamlText is a string, a number or a list of them in YAML, strings in quotes: JSON's are YAML's.
func yamlText(v any) (string, error) {
	var text strings.Builder
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice {
		for i := range list.Len() {
			one, err := yamlText(list.Index(i).Interface())
			if err != nil {
				return "", err
			}
			text.WriteString(map[bool]string{true: "[", false: ", "}[i == 0] + one)
		}
		return text.String() + "]", nil
	}
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // && stays as it is
	err := e.Encode(v)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// BenchStarter is a first configuration for a benchmark.
type BenchStarter struct {
	Kernel    string
	Bench     Bench
	Build     string        // what builds it; "" where nothing has to, or that is not known
	Files     []string      // patterns of what it seems to be made of. It may define what it times, so they are only suggested
	Cases     []string      // what it times; nil: all of it
	Tolerance string        // slowdown that passes; "" leaves the default
	Budget    time.Duration // for all rounds; 0 leaves the default
	Device    string        // that it was seen to run on; "" is not known
	Paths     []string      // patterns of what it was seen to read of the tree; nil: not known

	Environment *Environment // of each side; nil: what is installed
}

// Text is the file. Its error is an Errors about what the starter was given.
func (b BenchStarter) Text() ([]byte, error) { return starterText("bench.yaml", b) }

// KernelName makes a name for a kernel of a program's.
func KernelName(program string) string {
	base, _, _ := strings.Cut(path.Base(program), ".")
	return nameOf(strings.ToLower(base), "benchmark")
}

// nameOf makes a name of a kernel of a text, and takes another where nothing of it is left.
func nameOf(text, otherwise string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if problem, _ := checkName("a" + string(r)); problem == "" {
			return r
		}
		return '_'
	}, text), "_.-")
	return cmp.Or(name[:min(len(name), 60)], otherwise)
}
