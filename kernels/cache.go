package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// CacheDir is where compiled harnesses and adapters are kept: PERFGATE_CACHE, else perfgate in the user's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv("PERFGATE_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (set PERFGATE_CACHE to name one): %w", err)
	}
	return filepath.Join(dir, "perfgate"), nil
}

// digest hashes strings and byte slices with their lengths, so that no two lists of parts look alike.
type digest struct{ parts []byte }

func (d *digest) add(part string) {
	sum := sha256.Sum256([]byte(part))
	d.parts = append(d.parts, sum[:]...)
}

func (d *digest) sum() string {
	sum := sha256.Sum256(d.parts)
	return hex.EncodeToString(sum[:16])
}

// publish copies a finished file into the cache: written beside its place and renamed, so that a reader, a second
// writer or a crash sees the old or the new one and never half.
func publish(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("make the cache folder (PERFGATE_CACHE names another): %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(to), ".partial-*")
	if err != nil {
		return fmt.Errorf("write into the cache (PERFGATE_CACHE names another): %w", err)
	}
	defer os.Remove(tmp.Name()) // after a rename there is nothing to remove
	if err := copyInto(tmp, from); err != nil {
		return fmt.Errorf("write %s into the cache: %w", filepath.Base(to), err)
	}
	return os.Rename(tmp.Name(), to)
}

func copyInto(tmp *os.File, from string) error {
	src, err := os.Open(from)
	if err == nil {
		defer src.Close()
		_, err = io.Copy(tmp, src)
	}
	return errors.Join(err, tmp.Chmod(0o755), tmp.Close())
}
