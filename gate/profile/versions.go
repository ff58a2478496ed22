package profile

import (
	"strconv"
	"strings"
)

// Version is that of a tool or a driver, as far as it decides anything.
type Version struct{ Major, Minor int }

// AtLeast says whether v is w or newer.
func (v Version) AtLeast(w Version) bool {
	return v.Major > w.Major || (v.Major == w.Major && v.Minor >= w.Minor)
}

// ParseVersion reads the first two numbers of a version such as 570.133.20.
func ParseVersion(text string) (v Version, ok bool) {
	major, rest, _ := strings.Cut(strings.TrimSpace(text), ".")
	minor, _, _ := strings.Cut(rest, ".")
	var err1, err2 error
	v.Major, err1 = strconv.Atoi(major)
	if minor != "" {
		v.Minor, err2 = strconv.Atoi(minor)
	}
	return v, err1 == nil && err2 == nil
}

// LeastDriver is the oldest driver for a CUDA major, 0 if not known (CUDA Toolkit release notes; CUDA compatibility, table 1).
func LeastDriver(cudaMajor int) int {
	return map[int]int{11: 450, 12: 525, 13: 580}[cudaMajor]
}

// LeastDriver is the oldest driver that this Nsight Compute works with; not ok where it does not tell its version. 2025.3 came with
// CUDA 13.0, 2022.4 with 12.0, 2020.1 with 11.0 (labels of the package nvidia/nsight-compute).
func (t Nsight) LeastDriver() (major int, ok bool) {
	v, ok := ParseVersion(t.Version)
	switch {
	case v.AtLeast(Version{2025, 3}):
		return LeastDriver(13), ok
	case v.AtLeast(Version{2022, 4}):
		return LeastDriver(12), ok
	}
	return LeastDriver(11), ok
}

// Accepts says whether this Nsight Compute is known to work with a driver, such as 570.133.20.
func (t Nsight) Accepts(driver string) bool {
	have, known := ParseVersion(driver)
	least, told := t.LeastDriver()
	return known && told && have.Major >= least
}
