package kernels

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

// Fingerprint hashes the code of a shared library: all that a loader maps, except the build id, and the libraries that it
// needs. Two libraries with one fingerprint run the same instructions on the same data. Section headers have no say: a loader
// does not read them, so they can describe other code than it runs.
func Fingerprint(path string) (string, error) { return fingerprint(path, "") }

// fingerprint is Fingerprint without the paths of files in a folder, which a compiler writes down where code asks for the name of its source.
func fingerprint(path, folder string) (string, error) {
	f, err := openLibrary(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %x\n", f.Class, f.Type, f.Machine, f.Entry)
	ids := buildIDs(f.File)
	for _, p := range f.Progs {
		fmt.Fprintf(h, "%d %d %x %d %d %d\n", p.Type, p.Flags, p.Vaddr, p.Filesz, p.Memsz, p.Align)
		if p.Type != elf.PT_LOAD {
			continue
		}
		if err := hashSegment(h, p, ids, folder); err != nil {
			return "", fmt.Errorf("read segment %x of %s: %w", p.Vaddr, filepath.Base(path), err)
		}
	}
	needed, err := neededLibraries(f.File, path)
	if err != nil {
		return "", err
	}
	for _, line := range needed {
		io.WriteString(h, line)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func openLibrary(path string) (*untrusted.Program, error) {
	f, err := untrusted.OpenProgram(path, mostLibrary)
	if err != nil {
		return nil, fmt.Errorf("%s is not a shared library: %w", filepath.Base(path), err)
	}
	return f, nil
}

// span is a part of a file.
type span struct{ from, to uint64 }

// hashSegment hashes what is mapped of a file, without the spans, without what the file's own header says of sections,
// which moves with what is not mapped, and without paths in a folder.
func hashSegment(h io.Writer, p *elf.Prog, without []span, folder string) error {
	content, err := io.ReadAll(p.Open())
	if err != nil {
		return err
	}
	if uint64(len(content)) != p.Filesz {
		return io.ErrUnexpectedEOF
	}
	const headerSections, headerSectionCount, headerEnd = 0x28, 0x3a, 0x40 // of a 64-bit file
	if p.Flags&elf.PF_X != 0 {
		without, folder = nil, ""
	}
	clearPaths(content, folder)
	for _, s := range append([]span{{headerSections, headerSections + 8}, {headerSectionCount, headerEnd}}, without...) {
		if from, to := max(s.from, p.Off), min(s.to, p.Off+p.Filesz); from < to {
			clear(content[from-p.Off : to-p.Off])
		}
	}
	_, err = h.Write(unitDigests().ReplaceAllLiteral(content, []byte("_GLOBAL__N__00000000_")))
	return err
}

// clearPaths clears the paths of files in a folder, "" for none, up to the end of each text.
func clearPaths(content []byte, folder string) {
	if folder == "" {
		return
	}
	for {
		at := bytes.Index(content, []byte(folder+"/"))
		if at < 0 {
			return
		}
		end := bytes.IndexFunc(content[at:], func(c rune) bool { return c <= ' ' || c >= unicode.MaxASCII })
		if end < 0 {
			end = len(content) - at
		}
		clear(content[at : at+end])
		content = content[at+end:]
	}
}

// unitDigests are what nvcc puts into the names of a unit's own functions: a digest of the file's path and text, comments included,
// which says nothing of the code. They are in device code, which is therefore not compressed, and in the host's names of kernels.
var unitDigests = text.Pattern(`_GLOBAL__N__[0-9a-f]{8}_`)

// buildIDs are the spans of the identifiers in the notes that a loader knows as build ids.
func buildIDs(f *elf.File) []span {
	const gnuBuildID, header, longest = 3, 16, 32
	var found []span
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Flags&elf.PF_X != 0 || p.Filesz < header {
			continue
		}
		var note [header]byte
		for at := uint64(0); at+header <= p.Filesz; {
			if _, err := p.ReadAt(note[:], int64(at)); err != nil {
				break
			}
			name, size := uint64(f.ByteOrder.Uint32(note[:])), uint64(f.ByteOrder.Uint32(note[4:]))
			if name == 4 && f.ByteOrder.Uint32(note[8:]) == gnuBuildID && string(note[12:]) == "GNU\x00" && size <= longest {
				found = append(found, span{p.Off + at + header, p.Off + at + header + size})
			}
			at += 12 + (name+3)&^3 + (size+3)&^3
		}
	}
	return found
}

// neededLibraries is a line for each library that the one at path needs, with the hash of what the loader will find.
func neededLibraries(f *elf.File, path string) ([]string, error) {
	needed, err := neededNames(f, path)
	if err != nil {
		return nil, err
	}
	slices.Sort(needed)
	dirs := librarySearchPath(f, filepath.Dir(path))
	lines := make([]string, len(needed))
	for i, name := range needed {
		lines[i] = fmt.Sprintf("needs %s %s\n", name, hashLibrary(name, dirs, path))
	}
	return lines, nil
}

// LibrariesFingerprint hashes the libraries that a library needs, as they are on this machine: the part of Fingerprint that
// equal inputs do not fix.
func LibrariesFingerprint(path string) (string, error) {
	f, err := openLibrary(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines, err := neededLibraries(f.File, path)
	var d digest
	for _, line := range lines {
		d.add(line)
	}
	return d.sum(), err
}

// librarySearchPath is where the loader looks: the library's own run path, LD_LIBRARY_PATH, the system's folders.
func librarySearchPath(f *elf.File, origin string) []string {
	dirs := runPath(f)
	for i, dir := range dirs {
		dirs[i] = strings.ReplaceAll(dir, "$ORIGIN", origin)
	}
	triplets, _ := filepath.Glob("/usr/lib/*-linux-gnu")
	system := []string{"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64"}
	return slices.Concat(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), triplets, system)
}

// hashLibrary returns the hash of a needed library, or "unresolved": both sides then resolve it the same way or not at all. One
// that was kept with the library under test is part of it, with what it needs itself.
func hashLibrary(name string, dirs []string, library string) string {
	kept := Besides(library)
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if sum, err := hashFile(path); err == nil {
			if strings.HasPrefix(path, kept+string(filepath.Separator)) {
				return hashKept(kept, library)
			}
			return sum[:32]
		}
	}
	return "unresolved"
}

// libraries of kernels that run on several GPUs at once. A kernel is shown one GPU, so they would fail, or be measured as what
// they are not.
var severalGPUs = []string{"libnccl.so", "libnvshmem", "libmpi.so", "libcublasMp.so", "libcusolverMp.so", "libcusolverMg.so", "libcufftMp.so"}

// NeedsSeveralGPUs names a library by which the one at path works on several GPUs, or "".
func NeedsSeveralGPUs(path string) (string, error) {
	if IsHosted(path) {
		return "", nil // what it imports says so itself, when it asks for a second one
	}
	f, err := openLibrary(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	needed, err := neededNames(f.File, path)
	for _, name := range needed {
		if slices.ContainsFunc(severalGPUs, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			return name, nil
		}
	}
	return "", err
}

// hashFile is the SHA-256 of a regular file in hexadecimal, links followed: a library under test can name any as one that it needs.
func hashFile(path string) (string, error) {
	f, err := untrusted.OpenLinked(path, mostHashed)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(f, mostHashed))
	return hex.EncodeToString(h.Sum(nil)), err
}
