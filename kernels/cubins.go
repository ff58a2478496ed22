package kernels

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

// Cubin is GPU code that a framework compiled in a process of an adapter in Python.
type Cubin struct {
	Path     string
	Function string // as Triton names the file; other frameworks name it by a digest
}

// mostCubins and mostCubin bound how many files of a cache are looked at, and how large they are: code under test filled it.
const (
	mostCubins = 4096
	mostCubin  = 256 << 20
)

// Cubins are the files of GPU code below a folder of caches, in the order of their paths; none where the folder is not there.
func Cubins(caches string) []Cubin {
	var found []Cubin
	_ = filepath.WalkDir(caches, func(path string, entry fs.DirEntry, err error) error { // what cannot be read has nothing to show
		name, isCubin := strings.CutSuffix(filepath.Base(path), ".cubin")
		switch {
		case err != nil, !isCubin, !entry.Type().IsRegular():
			return nil
		case len(found) == mostCubins:
			return fs.SkipAll
		}
		found = append(found, Cubin{path, name})
		return nil
	})
	return found
}

// cubinDigest hashes what a file of GPU code tells a GPU to do: all of its sections but those for debuggers, which hold the path of the source, and
// the names of symbols. What is no ELF file, or has no code, is hashed as it is.
func cubinDigest(path string) (string, error) {
	content, err := untrusted.Read(path, mostCubin)
	if err != nil {
		return "", err
	}
	d := sha256.New()
	if !hashSections(d, content) {
		d.Reset()
		d.Write(content)
	}
	return hex.EncodeToString(d.Sum(nil)), nil
}

// parseCubin reads the sections of GPU code. CuPy writes a digest of its own before it.
func parseCubin(content []byte) (*elf.File, error) {
	const version = 0x14 // of a file header: for GPUs that of the architecture's own format, which debug/elf does not take
	text := bytes.Clone(content[max(0, bytes.Index(content, []byte(elf.ELFMAG))):])
	if len(text) > version+4 {
		copy(text[version:], []byte{byte(elf.EV_CURRENT), 0, 0, 0})
	}
	return untrusted.ParseELF(bytes.NewReader(text), int64(len(text)))
}

// hashSections says whether there was code among them.
func hashSections(d io.Writer, content []byte) (code bool) {
	f, err := parseCubin(content)
	if err != nil {
		return false
	}
	fmt.Fprintf(d, "%s %x\n", f.Machine, f.Entry)
	for _, s := range f.Sections {
		if forDebuggers(s) {
			continue
		}
		fmt.Fprintf(d, "%s %d %d %d %d %d\n", s.Name, s.Type, s.Flags, s.Size, s.Info, s.Addralign)
		if s.Type == elf.SHT_NOBITS {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return false
		}
		d.Write(data)
		code = code || s.Flags&elf.SHF_EXECINSTR != 0
	}
	return code
}

func forDebuggers(s *elf.Section) bool {
	return s.Type == elf.SHT_STRTAB || s.Type == elf.SHT_SYMTAB || s.Type == elf.SHT_NOTE || strings.Contains(s.Name, "debug")
}
