package checkout

import (
	"encoding/csv"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

// Distribution is a package of Python as its installer wrote it down, in a folder of packages.
type Distribution struct {
	Name  string
	Files []string // relative to the folder
	From  string   // the folder that it was installed from; "" where it was none
}

// mostRecord bounds what is read of one list of files, in bytes.
const mostRecord = 16 << 20

// Distributions are those that installers wrote down in a folder of packages.
func Distributions(packages string) []Distribution {
	notes, _ := filepath.Glob(filepath.Join(escaped(packages), "*.dist-info"))
	var found []Distribution
	for _, note := range notes {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(note), ".dist-info"), "-")
		found = append(found, Distribution{Name: name, Files: recorded(note), From: from(filepath.Join(note, "direct_url.json"))})
	}
	return found
}

// recorded are the files that a distribution consists of.
func recorded(note string) []string {
	record, err := untrusted.OpenLinked(filepath.Join(note, "RECORD"), mostRecord)
	if err != nil {
		return nil
	}
	defer record.Close()
	rows := csv.NewReader(record)
	rows.FieldsPerRecord = -1
	var files []string
	for {
		row, err := rows.Read()
		if err != nil { // its end, or what is no list from here on
			return files
		}
		files = append(files, filepath.Clean(row[0]))
	}
}
