//go:build !cgo

package machine

func openLibrary() (library, error) {
	return nil, &GPUError{
		"this perfgate was built without cgo, through which it would ask the NVIDIA driver",
		"use a released binary, or build with CGO_ENABLED=1 and a C compiler",
	}
}
