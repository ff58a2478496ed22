package profile

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is that of a tool or a driver, as far as it decides anything.
type Version struct{ Major, Minor int }

// AtLeast says whether v is w or newer.
func (v Version) AtLeast(w Version) bool {
	return v.Major > w.Major || (v.Major == w.Major && v.Minor >= w.Minor)
}

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

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

// leastNsight is the oldest Nsight Compute whose exports are read: earlier ones have other columns and other names for metrics.
var leastNsight = Version{2023, 1}

// IsTooOld says whether it is known to be older than any whose exports are read.
func (t Nsight) IsTooOld() bool {
	v, ok := ParseVersion(t.Version)
	return ok && !v.AtLeast(leastNsight)
}

// LeastDriver is the oldest driver that this Nsight Compute works with; not ok where it does not tell its version. 2025.3 came with
// CUDA 13.0, 2023.1 with 12.1 (labels of the package nvidia/nsight-compute).
func (t Nsight) LeastDriver() (major int, ok bool) {
	v, ok := ParseVersion(t.Version)
	if v.AtLeast(Version{2025, 3}) {
		return LeastDriver(13), ok
	}
	return LeastDriver(12), ok
}

// Accepts says whether the exports of this Nsight Compute are read, and it is known to work with a driver, such as 570.133.20.
func (t Nsight) Accepts(driver string) bool {
	have, known := ParseVersion(driver)
	least, told := t.LeastDriver()
	return known && told && !t.IsTooOld() && have.Major >= least
}
