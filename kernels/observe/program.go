package observe

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/untrusted"
)

// mostInterpreters is how many Linux starts one for another.
const mostInterpreters = 5

// starts follows what Linux opens by itself to start a program: interpreters that a script names, and the loader that a program names.
func (o *observer) starts(n *notification, f found, depth int) {
	if !f.is(unix.S_IFREG) || depth > mostInterpreters {
		return
	}
	file, err := untrusted.Open(f.path, untrusted.NoLimit)
	if err != nil {
		o.unread("a program: " + f.path)
		return
	}
	defer file.Close()
	begin := make([]byte, 256) // of which Linux takes the name of an interpreter
	count, _ := file.ReadAt(begin, 0)
	begin = begin[:count]
	script, isScript := bytes.CutPrefix(begin, []byte("#!"))
	switch {
	case isScript:
		line, _, _ := bytes.Cut(script, []byte("\n"))
		if words := strings.FieldsFunc(string(line), func(r rune) bool { return r == ' ' || r == '\t' || r == 0 }); len(words) > 0 {
			o.interpreter(n, words[0], depth)
		}
	case bytes.HasPrefix(begin, []byte(elf.ELFMAG)) && ofThisMachine(begin):
		if loader := loaderOf(file); loader != "" {
			o.interpreter(n, loader, depth)
		}
	case otherFormats():
		o.because(Formats, f.path)
	}
}

func (o *observer) interpreter(n *notification, name string, depth int) {
	w := walk{o: o, n: n, root: o.root(n), pending: name}
	w.dir = w.root
	if !strings.HasPrefix(name, "/") {
		var ok bool
		if w.dir, ok = o.folder(n, follow(Executed, here, noPath)); !ok {
			return
		}
	}
	if f, ok := w.to(true); ok {
		o.record(f, Executed)
		o.starts(n, f, depth+1)
	}
}

// machines are those of programs by the kind of processor.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// ofThisMachine says whether a program is one that Linux starts itself here.
func ofThisMachine(begin []byte) bool {
	const machineAt = 18
	return len(begin) > machineAt+2 && begin[elf.EI_CLASS] == byte(elf.ELFCLASS64) &&
		binary.LittleEndian.Uint16(begin[machineAt:]) == uint16(machines[runtime.GOARCH])
}

// loaderOf is the program that loads another one, "" for one that needs none. Its segments alone are read: sections may be anything.
func loaderOf(file io.ReaderAt) string {
	var header elf.Header64
	if binary.Read(io.NewSectionReader(file, 0, 64), binary.LittleEndian, &header) != nil || header.Phentsize != 56 {
		return ""
	}
	segments := make([]elf.Prog64, min(header.Phnum, 512))
	if binary.Read(io.NewSectionReader(file, int64(header.Phoff), int64(len(segments))*56), binary.LittleEndian, segments) != nil {
		return ""
	}
	for _, segment := range segments {
		if elf.ProgType(segment.Type) != elf.PT_INTERP {
			continue
		}
		name := make([]byte, min(segment.Filesz, mostPath))
		if _, err := file.ReadAt(name, int64(segment.Off)); err != nil {
			return ""
		}
		return unix.ByteSliceToString(name)
	}
	return ""
}

// otherFormats says whether Linux was told of programs for files that name none.
func otherFormats() bool {
	entries, _ := os.ReadDir("/proc/sys/fs/binfmt_misc")
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != "register" && e.Name() != "status" })
}
