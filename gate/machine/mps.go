package machine

import (
	"fmt"
	"os"
	"path/filepath"
)

// MPS says where a Multi-Process Service shares the GPUs of this machine, or "": its control daemon, or the control
// file in its pipe folder, which is all that a container sees of a daemon on its host. getenv is os.Getenv.
func MPS(getenv func(string) string) string {
	// The kernel keeps 15 characters of nvidia-cuda-mps-control and of its server.
	paths, _ := filepath.Glob(filepath.Join(root, "proc/[0-9]*/comm"))
	for _, path := range paths {
		if readFile(path) == "nvidia-cuda-mps" {
			return "process " + filepath.Base(filepath.Dir(path))
		}
	}
	dir := getenv("CUDA_MPS_PIPE_DIRECTORY")
	if dir == "" {
		dir = filepath.Join(root, "tmp/nvidia-mps")
	}
	control := filepath.Join(dir, "control")
	if _, err := os.Lstat(control); err != nil {
		return ""
	}
	return fmt.Sprintf("its control file is %s", control)
}
