package result

import "time"

// Devices that a run can be measured on.
const (
	DeviceCPU   = "cpu"
	DeviceCUDA  = "cuda"
	DeviceOther = "other" // an accelerator that perfgate has no clock for
)

// Machine is what the run was measured on.
type Machine struct {
	Key          string  `json:"key"`
	Device       string  `json:"device"`
	Model        string  `json:"model"`
	Processor    string  `json:"processor,omitempty"` // of the host, where the device is a GPU
	Cores        int     `json:"cores"`
	MemoryBytes  int64   `json:"memoryBytes"`
	CacheBytes   int64   `json:"cacheBytes"`
	OS           string  `json:"os"`
	Kernel       string  `json:"kernel"`
	Arch         string  `json:"arch"`
	Governor     string  `json:"governor,omitempty"`
	FrequencyMHz float64 `json:"frequencyMHz,omitempty"`
	Virtual      bool    `json:"virtual"`
	LoadBefore   float64 `json:"loadBefore"`
	LoadAfter    float64 `json:"loadAfter"`
	GPU          *GPU    `json:"gpu,omitempty"`
}

// GPU is the device of a CUDA run. What the driver does not tell is 0, false or empty.
type GPU struct {
	UUID              string    `json:"uuid"`
	Index             int       `json:"index"` // in PCI order
	ComputeCapability string    `json:"computeCapability"`
	SMs               int       `json:"sms,omitempty"`
	MemoryBytes       int64     `json:"memoryBytes"`
	L2Bytes           int64     `json:"l2Bytes,omitempty"`
	Driver            string    `json:"driver"`
	CUDA              string    `json:"cuda"` // newest version that the driver supports
	SMClockMHz        int       `json:"smClockMHz,omitempty"`
	MaxSMClockMHz     int       `json:"maxSmClockMHz,omitempty"`
	MemoryClockMHz    int       `json:"memoryClockMHz,omitempty"`
	MaxMemoryClockMHz int       `json:"maxMemoryClockMHz,omitempty"`
	LockedClock       string    `json:"lockedClock,omitempty"` // base, or a number of MHz
	PowerW            float64   `json:"powerW,omitempty"`
	PowerLimitW       float64   `json:"powerLimitW,omitempty"`
	PowerDefaultW     float64   `json:"powerDefaultW,omitempty"`
	TemperatureC      int       `json:"temperatureC,omitempty"`
	SlowdownC         int       `json:"slowdownC,omitempty"`
	ECC               bool      `json:"ecc"`
	MIG               bool      `json:"mig"`
	MPS               bool      `json:"mps"`
	Persistence       bool      `json:"persistence"`
	VGPU              bool      `json:"vgpu"`
	OtherProcesses    int       `json:"otherProcesses"`
	Watch             *GPUWatch `json:"watch,omitempty"`
}

// GPUWatch is what was seen of a GPU while runners used it.
type GPUWatch struct {
	Samples       int           `json:"samples"`
	MinSMClockMHz int           `json:"minSmClockMHz,omitempty"`
	MaxSMClockMHz int           `json:"maxSmClockMHz,omitempty"`
	TemperatureC  int           `json:"temperatureC,omitempty"` // highest
	PowerW        float64       `json:"powerW,omitempty"`       // highest
	Clocks        []ClockReason `json:"clocks,omitempty"`
	Blind         bool          `json:"blind,omitempty"` // the driver showed no process, not even ours
	Began         *time.Time    `json:"began,omitempty"` // when Trace did
	Trace         []GPUMoment   `json:"trace,omitempty"` // some of the samples, spread evenly over the run
}

// GPUMoment is what was seen of a GPU at one moment.
type GPUMoment struct {
	AtS          float64 `json:"atSeconds"` // since GPUWatch.Began
	SMClockMHz   int     `json:"smClockMHz,omitempty"`
	TemperatureC int     `json:"temperatureC,omitempty"`
	PowerW       float64 `json:"powerW,omitempty"`
}

// ClockLimit is what held clocks below the highest, in the driver's words.
type ClockLimit string

const (
	ClockApplication      ClockLimit = "application clocks"
	ClockPowerCap         ClockLimit = "power cap"
	ClockHardwareSlowdown ClockLimit = "hardware slowdown"
	ClockSyncBoost        ClockLimit = "sync boost"
	ClockThermal          ClockLimit = "thermal slowdown"
	ClockHardwareThermal  ClockLimit = "hardware thermal slowdown"
	ClockPowerBrake       ClockLimit = "power brake"
	ClockDisplay          ClockLimit = "display clocks"
)

// ClockReason is a reason that the driver gave for clocks below the highest.
type ClockReason struct {
	Limit ClockLimit `json:"reason"`
	Share float64    `json:"share"` // of the samples
}
