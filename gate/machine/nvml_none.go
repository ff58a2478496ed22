//go:build !cgo

package machine

// OpenGPUs fails with a *GPUError: the driver is asked through cgo.
func OpenGPUs() (*GPUs, error) {
	return nil, &GPUError{
		"this perfgate was built without cgo, through which it would ask the NVIDIA driver",
		"use a released binary, or build with CGO_ENABLED=1 and a C compiler",
	}
}
