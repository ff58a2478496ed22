package result

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// OpenPlain opens a file that anybody may have put there, such as a pull request. No pipe is waited for; a pipe, a folder and a device are errors,
// to which the caller adds the name. flags are further ones of open(2), such as syscall.O_NOFOLLOW.
func OpenPlain(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, errors.New("it is a link, and not a regular file")
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadPlain reads what OpenPlain opens. More than limit bytes are an error.
func ReadPlain(path string, flags int, limit int64) ([]byte, error) {
	f, err := OpenPlain(path, flags)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	return data, err
}
