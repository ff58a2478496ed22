package doctor

import (
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/text"
)

var nvccVersion = text.Pattern(`(?m)release (\d+\.\d+), V(\d+\.\d+\.\d+)`)

// parseNVCC reads the release out of what `nvcc --version` prints, such as 12.8.93; "" if it is not there.
func parseNVCC(text string) string {
	if m := nvccVersion().FindStringSubmatch(text); m != nil {
		return m[2]
	}
	return ""
}

// parseCodes reads what `nvcc --list-gpu-code` prints: sm_75 and so on, one a line.
func parseCodes(text string) []string {
	var codes []string
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "sm_") {
			codes = append(codes, word)
		}
	}
	return codes
}

// parseAdminOnly reads /proc/driver/nvidia/params: whether only admins may read performance counters.
func parseAdminOnly(text string) (adminOnly, known bool) {
	value := field(text, "RmProfilingAdminOnly:")
	return value != "" && value != "0", value != ""
}

// Capabilities of a process that the driver takes for an admin's: CAP_SYS_ADMIN always, CAP_PERFMON from driver 565 on.
const (
	capSysAdmin = 21
	capPerfmon  = 38
)

// parseCapabilities reads the effective capabilities out of /proc/self/status, and says whether they make an admin for
// the driver.
func parseCapabilities(status string, driver profile.Version) bool {
	bits, err := strconv.ParseUint(field(status, "CapEff:"), 16, 64)
	return err == nil && (bits>>capSysAdmin&1 == 1 || driver.Major >= 565 && bits>>capPerfmon&1 == 1)
}

// field is what stands behind a label at the start of a line, "" where no line has it.
func field(text, label string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, label); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
