package kernels

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// libraries of kernels that run on several GPUs at once. A kernel is shown one GPU, so they would fail, or be measured as what
// they are not.
var severalGPUs = []string{"libnccl.so", "libnvshmem", "libmpi.so", "libcublasMp.so", "libcusolverMp.so", "libcusolverMg.so", "libcufftMp.so"}

// NeedsSeveralGPUs names a library by which the one at path works on several GPUs, or "".
func NeedsSeveralGPUs(path string) (string, error) {
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
