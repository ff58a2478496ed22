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
	Key          string  `json:"key"`                    // names this kind of machine: results with equal keys can be compared
	Device       string  `json:"device"`                 // cpu, cuda or other
	Model        string  `json:"model"`                  // of the processor or GPU
	Processor    string  `json:"processor,omitempty"`    // model of the host's processor, where the device is a GPU
	Cores        int     `json:"cores"`                  // logical cores
	MemoryBytes  int64   `json:"memoryBytes"`            // main memory
	CacheBytes   int64   `json:"cacheBytes"`             // last level of cache
	OS           string  `json:"os"`                     // operating system
	Kernel       string  `json:"kernel"`                 // release of the Linux kernel
	Arch         string  `json:"arch"`                   // architecture, as Go calls it
	Governor     string  `json:"governor,omitempty"`     // of the processor's frequency
	FrequencyMHz float64 `json:"frequencyMHz,omitempty"` // clock when the run began
	Virtual      bool    `json:"virtual"`                // a virtual machine
	LoadBefore   float64 `json:"loadBefore"`             // load average of one minute when the run began (processes)
	LoadAfter    float64 `json:"loadAfter"`              // and when it ended (processes)
	GPU          *GPU    `json:"gpu,omitempty"`          // the GPU of a CUDA run
}

// GPU is the device of a CUDA run. What the driver does not tell is 0, false or empty.
type GPU struct {
	UUID              string    `json:"uuid"`                        // names this very GPU
	Index             int       `json:"index"`                       // among the GPUs of the machine, in PCI order
	ComputeCapability string    `json:"computeCapability"`           // such as 8.9, for which kernels are compiled as sm_89
	SMs               int       `json:"sms,omitempty"`               // streaming multiprocessors
	MemoryBytes       int64     `json:"memoryBytes"`                 // memory of the GPU
	L2Bytes           int64     `json:"l2Bytes,omitempty"`           // L2 cache
	Driver            string    `json:"driver"`                      // version of the driver
	CUDA              string    `json:"cuda"`                        // newest CUDA version that the driver supports
	SMClockMHz        int       `json:"smClockMHz,omitempty"`        // clock of the SMs
	MaxSMClockMHz     int       `json:"maxSmClockMHz,omitempty"`     // the highest that they can have
	MemoryClockMHz    int       `json:"memoryClockMHz,omitempty"`    // clock of the memory
	MaxMemoryClockMHz int       `json:"maxMemoryClockMHz,omitempty"` // the highest that it can have
	LockedClock       string    `json:"lockedClock,omitempty"`       // what --lock-gpu-clocks locked the SMs to: base, or a number of MHz
	PowerW            float64   `json:"powerW,omitempty"`            // power drawn
	PowerLimitW       float64   `json:"powerLimitW,omitempty"`       // the cap on it
	PowerDefaultW     float64   `json:"powerDefaultW,omitempty"`     // the cap that the GPU comes with
	TemperatureC      int       `json:"temperatureC,omitempty"`      // of the GPU
	SlowdownC         int       `json:"slowdownC,omitempty"`         // from where the hardware slows down
	ECC               bool      `json:"ecc"`                         // memory is checked and corrected
	MIG               bool      `json:"mig"`                         // divided into MIG instances; such a GPU is not measured on
	MPS               bool      `json:"mps"`                         // shared through an MPS daemon; such a GPU is not measured on
	Persistence       bool      `json:"persistence"`                 // the driver stays loaded between processes
	VGPU              bool      `json:"vgpu"`                        // a share of a GPU that a hypervisor hands out
	OtherProcesses    int       `json:"otherProcesses"`              // processes of others that used it to compute when the run began
	Watch             *GPUWatch `json:"watch,omitempty"`             // what was seen while kernels ran
}

// GPUWatch is what was sampled of a GPU while harness processes used it.
type GPUWatch struct {
	Samples       int           `json:"samples"`                 // how often the GPU was sampled while a harness process lived
	MinSMClockMHz int           `json:"minSmClockMHz,omitempty"` // lowest clock of the SMs while the GPU was busy
	MaxSMClockMHz int           `json:"maxSmClockMHz,omitempty"` // highest
	TemperatureC  int           `json:"temperatureC,omitempty"`  // highest temperature
	PowerW        float64       `json:"powerW,omitempty"`        // highest power
	Clocks        []ClockReason `json:"clocks,omitempty"`        // why clocks were below the highest
	Blind         bool          `json:"blind,omitempty"`         // the driver shows no processes here, not even perfgate's own: one next to it would have gone unnoticed
	Began         *time.Time    `json:"began,omitempty"`         // when trace did
	Trace         []GPUMoment   `json:"trace,omitempty"`         // some of the samples, spread evenly over the run, fewer than 480
}

// GPUMoment is what was seen of a GPU at one moment.
type GPUMoment struct {
	AtS          float64 `json:"atSeconds"`              // since began
	SMClockMHz   int     `json:"smClockMHz,omitempty"`   // clock of the SMs
	TemperatureC int     `json:"temperatureC,omitempty"` // temperature
	PowerW       float64 `json:"powerW,omitempty"`       // power
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
	// in the driver's words; thermal slowdown, hardware thermal slowdown, hardware slowdown and power brake void the
	// round
	Limit ClockLimit `json:"reason"`
	Share float64    `json:"share"` // of the samples in which the driver gave it (fraction)
}
