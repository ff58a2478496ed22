package kernels

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

const (
	mostDynamic = 1 << 20 // bytes of a library's dynamic table
	mostName    = 1 << 20 // and of a name in it: a run path can list hundreds of folders
)

var errDynamic = errors.New("its dynamic table cannot be read")

// dynamicNames are the names that a loader finds in a library under a tag of its dynamic table, in order. It goes by what is mapped, where debug/elf goes by
// section headers, which may be missing or describe something else.
func dynamicNames(f *elf.File, tag elf.DynTag) (names []string, err error) {
	table, err := dynamicTable(f)
	if err != nil {
		return nil, err
	}
	texts := uint64(0)
	for _, entry := range table {
		if elf.DynTag(entry.Tag) == elf.DT_STRTAB {
			texts = entry.Val
		}
	}
	for _, entry := range table {
		if elf.DynTag(entry.Tag) != tag {
			continue
		}
		name, ok := mappedText(f, texts+entry.Val)
		if !ok {
			return nil, errDynamic
		}
		names = append(names, name)
	}
	return names, nil
}

// neededNames are the libraries that the one at path needs, as it names them.
func neededNames(f *elf.File, path string) ([]string, error) {
	needed, err := dynamicNames(f, elf.DT_NEEDED)
	if err != nil {
		return nil, fmt.Errorf("read the libraries that %s needs: %w", filepath.Base(path), err)
	}
	return needed, nil
}

// runPath are the folders in which a library has the loader look, $ORIGIN for its own.
func runPath(f *elf.File) (folders []string) {
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		paths, _ := dynamicNames(f, tag)
		for _, path := range paths {
			folders = append(folders, strings.Split(strings.ReplaceAll(path, "${ORIGIN}", "$ORIGIN"), ":")...)
		}
	}
	return folders
}

// symbolsOf are the symbols in those tables of the file at path which it has.
func symbolsOf(path string, tables ...func() ([]elf.Symbol, error)) (all []elf.Symbol, err error) {
	for _, table := range tables {
		symbols, err := table()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			return nil, fmt.Errorf("read the symbols of %s: %w", filepath.Base(path), err)
		}
		all = append(all, symbols...)
	}
	return all, nil
}

// dynamicTable is empty where a program has none. Only of 64-bit files: perfgate runs on no other processors.
func dynamicTable(f *elf.File) (table []elf.Dyn64, err error) {
	at := slices.IndexFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_DYNAMIC })
	if at < 0 {
		return nil, nil
	}
	p := f.Progs[at]
	if f.Class != elf.ELFCLASS64 || p.Filesz > mostDynamic {
		return nil, errDynamic
	}
	table = make([]elf.Dyn64, p.Filesz/uint64(binary.Size(elf.Dyn64{})))
	if _, err := binary.Decode(mapped(f, p.Vaddr, p.Filesz, nil), f.ByteOrder, table); err != nil {
		return nil, errDynamic
	}
	if end := slices.IndexFunc(table, func(entry elf.Dyn64) bool { return elf.DynTag(entry.Tag) == elf.DT_NULL }); end >= 0 {
		table = table[:end]
	}
	return table, nil
}

// mappedText is what a loader reads at an address up to a zero byte.
func mappedText(f *elf.File, at uint64) (string, bool) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || at < p.Vaddr || at-p.Vaddr >= p.Filesz {
			continue
		}
		from := at - p.Vaddr
		text, err := bufio.NewReader(io.NewSectionReader(p, int64(from), int64(min(mostName, p.Filesz-from)))).ReadString(0)
		return strings.TrimSuffix(text, "\x00"), err == nil
	}
	return "", false
}
