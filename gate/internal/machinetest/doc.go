// Package machinetest makes up NVIDIA drivers and GPUs for tests, with go-nvml's mocks: machine.OpenThrough opens them. Without
// cgo it is empty.
package machinetest
