package kernels

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// Fingerprint hashes the code of a shared library: every section that is loaded, except the build id, and the libraries
// that it needs. Two libraries with one fingerprint run the same instructions on the same data.
func Fingerprint(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s is not a shared library: %w", filepath.Base(path), err)
	}
	defer f.Close()
	h := sha256.New()
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Name == ".note.gnu.build-id" {
			continue
		}
		fmt.Fprintf(h, "%s %d %d %x %d\n", s.Name, s.Type, s.Flags, s.Addr, s.Size)
		if s.Type != elf.SHT_NOBITS {
			if _, err := io.Copy(h, s.Open()); err != nil {
				return "", fmt.Errorf("read section %s of %s: %w", s.Name, filepath.Base(path), err)
			}
		}
	}
	needed, err := neededLibraries(f, path)
	if err != nil {
		return "", err
	}
	for _, line := range needed {
		io.WriteString(h, line)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
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
	triplets, _ := filepath.Glob("/usr/lib/*-linux-gnu")
	dirs = append(dirs, triplets...)
	return append(dirs, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64")
}

// hashLibrary returns the hash of a needed library, or "unresolved": both sides then resolve it the same way or not at all. One
// that was kept with the library under test is part of it, with what it needs itself.
func hashLibrary(name string, dirs []string, library string) string {
	kept := besides(library)
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if sum, err := hashFile(path); err == nil {
			if strings.HasPrefix(path, kept+string(filepath.Separator)) {
				return hashKept(kept, library)
			}
			return hex.EncodeToString([]byte(sum)[:16])
		}
	}
	return "unresolved"
}

// runtimeReaders are imports by which a library can run code or data that is not in it: then equal code does not mean
// equal behaviour, since files of the repository may differ.
var runtimeReaders = []string{
	"dlopen", "dlmopen", "open", "open64", "openat", "openat64", "fopen", "fopen64", "freopen", "mmap", "mmap64", "system", "popen", "execv", "execve", "execvp",
	"posix_spawn", "posix_spawnp", "fork", "syscall", "getenv", "secure_getenv", "readlink", "opendir",
}

// runtimeReaderPrefixes are the same for mangled and versioned families of names.
var runtimeReaderPrefixes = []string{"_ZNSt13basic_filebuf", "_ZNSt14basic_ifstream", "_ZNSt14basic_fstream", "nvrtc", "nvJitLink", "cuModuleLoad", "cuLibraryLoad", "cudaLibraryLoad", "Py_"}

// ReadsAtRunTime says by which import a library may run code or read files that are not in it, or "".
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
	for _, name := range names {
		if slices.Contains(runtimeReaders, name) {
			return name, nil
		}
		for _, prefix := range runtimeReaderPrefixes {
			if strings.HasPrefix(name, prefix) {
				return name, nil
			}
		}
	}
	return "", nil
}

func importedNames(path string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s is not a shared library: %w", filepath.Base(path), err)
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
