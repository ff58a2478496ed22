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
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

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
	_, err = h.Write(unitDigests.ReplaceAllLiteral(content, []byte("_GLOBAL__N__00000000_")))
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
var unitDigests = regexp.MustCompile(`_GLOBAL__N__[0-9a-f]{8}_`)

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
	needed, err := f.ImportedLibraries()
	if err != nil {
		return nil, fmt.Errorf("read the libraries that %s needs: %w", filepath.Base(path), err)
	}
	sort.Strings(needed)
	dirs := librarySearchPath(f, filepath.Dir(path))
	lines := make([]string, len(needed))
	for i, name := range needed {
		lines[i] = fmt.Sprintf("needs %s %s\n", name, hashLibrary(name, dirs, path))
	}
	return lines, nil
}

// librarySearchPath is where the loader looks: the library's own run path, LD_LIBRARY_PATH, the system's folders.
func librarySearchPath(f *elf.File, origin string) []string {
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		paths, _ := f.DynString(tag)
		for _, p := range paths {
			p = strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(p)
			dirs = append(dirs, strings.Split(p, ":")...)
		}
	}
	dirs = append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	return append(dirs, systemLibraryDirs()...)
}

func systemLibraryDirs() []string {
	triplets, _ := filepath.Glob("/usr/lib/*-linux-gnu")
	return append(triplets, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64")
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

// runtimeReaders are imports by which a library can run code or data that is not in it: then equal code does not mean
// equal behaviour, since files of the repository may differ.
var runtimeReaders = strings.Fields(`
	dlopen dlmopen open open64 openat openat64 __open_2 __open64_2 __openat_2 __openat64_2 creat creat64 open_by_handle_at
	fopen fopen64 freopen freopen64 fdopen mmap mmap64 shm_open sem_open system popen syscall fork vfork clone posix_spawn posix_spawnp
	getenv secure_getenv getcwd readlink readlinkat realpath opendir fdopendir scandir scandir64 scandirat glob glob64 ftw ftw64 nftw nftw64 fts_open
	stat stat64 lstat lstat64 fstatat fstatat64 statx __xstat __xstat64 __lxstat __lxstat64 access faccessat euidaccess eaccess
	connect socket io_uring_queue_init environ __environ`)

// runtimeReaderPrefixes are the same for mangled and versioned families of names.
var runtimeReaderPrefixes = []string{
	"_ZNSt13basic_filebuf", "_ZNSt14basic_ifstream", "_ZNSt14basic_fstream", "_ZNSt10filesystem", "_ZNKSt10filesystem", "_ZNSt3__14__fs", "exec", "fexec",
	"nvrtc", "nvJitLink", "cuModuleLoad", "cuLibraryLoad", "cudaLibraryLoad", "cuLink", "cuFile", "hiprtc", "hipModuleLoad", "clCreateProgram", "Py", "lua", "sqlite3",
}

// readsNothing begin the names of libraries whose functions read no file but those that their caller names by one of the above: they open what is
// theirs, and the machine's.
var readsNothing = strings.Fields(`
	libc.so libc- libm.so libm- libmvec.so libpthread libdl.so librt.so libutil.so ld-linux ld-musl libgcc_s.so libstdc++.so libc++.so libc++abi.so libatomic.so libquadmath.so
	libgomp.so libomp.so libiomp5.so libtbb libcudart.so libcuda.so libcublas libcudnn libcufft libcurand libcusparse libcusolver libnvrtc libnvJitLink libnvToolsExt
	libopenblas libblas libcblas liblapack libmkl_ libatlas libgfortran.so libasan libubsan libtsan libperfgate`)

// mostLoaded is how many libraries one may bring along.
const mostLoaded = 256

// ReadsAtRunTime says by which import a library, or one that it brings along, may run code or read files that are not in it, or "".
func ReadsAtRunTime(path string) (string, error) {
	known, err := readFacts(path)
	if err != nil {
		return "", err
	}
	names, err := importedNames(path)
	if err != nil {
		return "", err
	}
	if known != nil {
		names = known.Imports
	}
	if reader := readerAmong(names); reader != "" {
		return reader, nil
	}
	return readerBrought(path, map[string]bool{})
}

func readerAmong(names []string) string {
	for _, name := range names {
		family := slices.ContainsFunc(runtimeReaderPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if family || slices.Contains(runtimeReaders, name) {
			return name
		}
	}
	return ""
}

// readerBrought is the first such import of the libraries that one needs, with the library. One that is not found is either not there at run time
// or may do anything.
func readerBrought(path string, seen map[string]bool) (string, error) {
	f, err := openLibrary(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil {
		return "", fmt.Errorf("read the libraries that %s needs: %w", filepath.Base(path), err)
	}
	dirs := librarySearchPath(f.File, filepath.Dir(path))
	for _, name := range needed {
		if seen[name] || slices.ContainsFunc(readsNothing, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		if seen[name] = true; len(seen) > mostLoaded {
			return "more libraries than are looked into", nil
		}
		reader, err := readerOf(name, dirs, seen)
		if reader != "" || err != nil {
			return reader, err
		}
	}
	return "", nil
}

func readerOf(name string, dirs []string, seen map[string]bool) (string, error) {
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		names, err := importedNames(path)
		if err != nil {
			return name + ", which is not read", nil
		}
		if reader := readerAmong(names); reader != "" {
			return name + ", which imports " + reader, nil
		}
		return readerBrought(path, seen)
	}
	return name + ", which is not found", nil
}

func importedNames(path string) ([]string, error) {
	f, err := openLibrary(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return nil, fmt.Errorf("read the imports of %s: %w", filepath.Base(path), err)
	}
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	return names, nil
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
	needed, err := f.ImportedLibraries()
	if err != nil {
		return "", fmt.Errorf("read the libraries that %s needs: %w", filepath.Base(path), err)
	}
	for _, name := range needed {
		if slices.ContainsFunc(severalGPUs, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			return name, nil
		}
	}
	return "", nil
}
