package untrusted

import (
	"debug/elf"
	"errors"
	"io"
	"os"
	"strings"
)

// Program is an opened file of machine code.
type Program struct {
	*elf.File
	file *os.File
}

// Close closes the file.
func (p *Program) Close() error { return p.file.Close() }

// OpenProgram reads the headers of the machine code in a regular file of at most limit bytes, links followed.
func OpenProgram(path string, limit int64) (*Program, error) {
	f, err := OpenLinked(path, limit)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		var headers *elf.File
		if headers, err = ParseELF(f, info.Size()); err == nil {
			return &Program{headers, f}, nil
		}
	}
	f.Close()
	return nil, err
}

// ParseELF reads the headers of machine code of size bytes. Those by which a small file would be read as a large one are errors: what is
// compressed and not for debuggers, sections and segments that lie over each other.
func ParseELF(r io.ReaderAt, size int64) (*elf.File, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	var sections, segments uint64
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_COMPRESSED != 0 && !strings.HasPrefix(s.Name, ".debug") {
			return nil, errors.New("it has a compressed section " + s.Name)
		}
		if s.Type != elf.SHT_NOBITS && s.Type != elf.SHT_NULL {
			sections += min(s.FileSize, uint64(size))
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			segments += min(p.Filesz, uint64(size))
		}
	}
	// Segments share a page at their borders.
	if most := 2*uint64(size) + 1<<20; sections > most || segments > most {
		return nil, errors.New("its sections or segments lie over each other")
	}
	return f, nil
}
