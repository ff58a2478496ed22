package doctor

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Version is a version of a tool or a driver, as far as it decides anything.
type Version struct{ Major, Minor int }

// AtLeast says whether v is w or newer.
func (v Version) AtLeast(w Version) bool {
	return v.Major > w.Major || (v.Major == w.Major && v.Minor >= w.Minor)
}

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

var versionStart = regexp.MustCompile(`^(\d+)(?:\.(\d+))?`)

// ParseVersion reads the first two numbers of a version such as 570.133.20.
func ParseVersion(text string) (Version, bool) {
	m := versionStart.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Version{}, false
	}
	major, err1 := strconv.Atoi(m[1])
	minor := 0
	var err2 error
	if m[2] != "" {
		minor, err2 = strconv.Atoi(m[2])
	}
	return Version{major, minor}, err1 == nil && err2 == nil
}

var ncuVersion = regexp.MustCompile(`(?m)^Version (\d+\.\d+(?:\.\d+)?)`)

// ParseNCU reads the version out of what `ncu --version` prints, such as 2025.3.1; "" if it is not there.
func ParseNCU(text string) string {
	if m := ncuVersion.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

var nvccVersion = regexp.MustCompile(`(?m)release (\d+\.\d+), V(\d+\.\d+\.\d+)`)

// ParseNVCC reads the release out of what `nvcc --version` prints, such as 12.8.93; "" if it is not there.
func ParseNVCC(text string) string {
	if m := nvccVersion.FindStringSubmatch(text); m != nil {
		return m[2]
	}
	return ""
}

// ParseCodes reads what `nvcc --list-gpu-code` prints: sm_75 and so on, one a line.
func ParseCodes(text string) []string {
	var codes []string
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "sm_") {
			codes = append(codes, word)
		}
	}
	return codes
}

// ParseAdminOnly reads /proc/driver/nvidia/params: whether only admins may read performance counters.
func ParseAdminOnly(text string) (adminOnly, known bool) {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "RmProfilingAdminOnly:"); ok {
			return strings.TrimSpace(value) != "0", true
		}
	}
	return false, false
}

// Capabilities of a process that the driver takes for an admin's: CAP_SYS_ADMIN always, CAP_PERFMON from driver 565 on.
const (
	capSysAdmin = 21
	capPerfmon  = 38
)

// ParseCapabilities reads the effective capabilities out of /proc/self/status, and says whether they make an admin for
// the driver.
func ParseCapabilities(status string, driver Version) bool {
	for line := range strings.Lines(status) {
		value, ok := strings.CutPrefix(line, "CapEff:")
		if !ok {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return false
		}
		return bits>>capSysAdmin&1 == 1 || (driver.Major >= 565 && bits>>capPerfmon&1 == 1)
	}
	return false
}
