package checkout

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

// Distribution is a package of Python as its installer wrote it down, in a folder of packages.
type Distribution struct {
	Name    string
	Version string
	Files   []string // relative to the folder
	Content string   // of its files that are its content, by the digests that the installer wrote down
	From    string   // the folder that it was installed from; "" where it was none
}

// mostRecord bounds what is read of one list of files, in bytes.
const mostRecord = 16 << 20

// Distributions are those that installers wrote down in a folder of packages.
func Distributions(packages string) []Distribution {
	notes, _ := filepath.Glob(filepath.Join(escaped(packages), "*.dist-info"))
	notes = notes[:min(len(notes), mostDistributions)]
	var found []Distribution
	for _, note := range notes {
		name, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(note), ".dist-info"), "-")
		d := Distribution{Name: name, Version: version, From: from(filepath.Join(note, "direct_url.json"))}
		d.Files, d.Content = recorded(note)
		found = append(found, d)
	}
	return found
}

// mostDistributions bounds how many are read of one folder.
const mostDistributions = 5000

// recorded are the files that a distribution consists of, and a digest of what is in them.
func recorded(note string) (files []string, content string) {
	record, err := untrusted.OpenLinked(filepath.Join(note, "RECORD"), mostRecord)
	if err != nil {
		return nil, ""
	}
	defer record.Close()
	rows := csv.NewReader(record)
	rows.FieldsPerRecord = -1
	h := sha256.New()
	for {
		row, err := rows.Read()
		if err != nil { // its end, or what is no list from here on
			return files, hex.EncodeToString(h.Sum(nil)[:16])
		}
		file := filepath.Clean(row[0])
		files = append(files, file)
		if IsContent(file) {
			fmt.Fprintf(h, "%q\n", row)
		}
	}
}

// IsContent says that a file of a distribution does not name the place where it lies, as programs, notes and compiled modules do.
func IsContent(file string) bool {
	return filepath.IsLocal(file) && filepath.Ext(filepath.Dir(file)) != ".dist-info" && filepath.Ext(file) != ".pyc"
}
