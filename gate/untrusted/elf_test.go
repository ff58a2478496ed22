package untrusted

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// machineCode is a file of sections, each over the whole of it, and of as many segments.
func machineCode(t *testing.T, name string, flags elf.SectionFlag, sections, segments int) []byte {
	t.Helper()
	const header, segment, section = 64, 56, 64
	names := "\x00" + name + "\x00"
	at := header + segments*segment
	size := at + (sections+2)*section + len(names) + 1<<20
	var b bytes.Buffer
	write := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: header, Phoff: header, Phentsize: segment, Phnum: uint16(segments), Shoff: uint64(at), Shentsize: section, Shnum: uint16(sections + 2), Shstrndx: 1}
	copy(h.Ident[:], []byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)})
	write(h)
	for range segments {
		write(elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: uint64(size), Memsz: uint64(size)})
	}
	write(elf.Section64{})
	write(elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: uint64(at + (sections+2)*section), Size: uint64(len(names))})
	for range sections {
		write(elf.Section64{Name: 1, Type: uint32(elf.SHT_PROGBITS), Flags: uint64(flags), Size: uint64(size)})
	}
	b.WriteString(names)
	b.Write(make([]byte, size-b.Len()))
	return b.Bytes()
}

// Machine code that is small on the disk and large when it is read is refused.
func TestMachineCodeThatIsLargerThanItsFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code []byte
		says string
	}{
		"plain":                  {machineCode(t, ".text", 0, 1, 1), ""},
		"sections on each other": {machineCode(t, ".text", 0, 100, 1), "lie over each other"},
		"segments on each other": {machineCode(t, ".text", 0, 1, 100), "lie over each other"},
		"compressed":             {machineCode(t, ".dynsym", elf.SHF_COMPRESSED, 1, 1), "compressed section .dynsym"},
		"for debuggers":          {machineCode(t, ".debug_info", elf.SHF_COMPRESSED, 1, 1), ""},
		"a script":               {[]byte("GROUP(libc.so.6)"), "bad magic"},
		"nothing":                {nil, "EOF"},
	} {
		_, err := ParseELF(bytes.NewReader(c.code), int64(len(c.code)))
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	for _, name := range []string{"pipe", "endless", "sparse"} {
		path := filepath.Join(t.TempDir(), name)
		err := map[string]error{"pipe": syscall.Mkfifo(path, 0o644)}[name]
		switch name {
		case "endless":
			os.Remove(path)
			err = os.Symlink("/dev/zero", path)
		case "sparse":
			os.Remove(path)
			if err = os.WriteFile(path, machineCode(t, ".text", 0, 1, 1), 0o644); err == nil {
				err = os.Truncate(path, 1<<40)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if p, err := OpenProgram(path, 1<<30); err == nil {
			p.Close()
			t.Errorf("%s was opened", name)
		}
	}
}
