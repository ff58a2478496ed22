package result

// DeviceWork is what a side has the GPU do, as CUPTI recorded it: of one launch of the case, or of the whole process of a benchmark that does not
// start and stop the profiler around one.
type DeviceWork struct {
	Process       bool       `json:"process,omitempty"`   // of the whole process
	Kernels       int64      `json:"kernels"`             // how many
	KernelSeconds float64    `json:"kernelSeconds"`       // their time on the GPU
	Transfers     []Transfer `json:"transfers,omitempty"` // each kind once, none without a count
}

// Transfer is all copies of one kind, or all fills.
type Transfer struct {
	Kind    TransferKind `json:"kind"`    // what moves from where to where
	Count   int64        `json:"count"`   // how many
	Bytes   int64        `json:"bytes"`   // of all of them
	Seconds float64      `json:"seconds"` // on the device
}

// TransferKind is what moves from where to where.
type TransferKind string

const (
	HostToDevice   TransferKind = "host-to-device"
	DeviceToHost   TransferKind = "device-to-host"
	DeviceToDevice TransferKind = "device-to-device"
	OtherCopy      TransferKind = "other-copy" // between two devices, or of arrays
	Fill           TransferKind = "fill"       // of memory with a value
)

// TransferKinds lists them.
var TransferKinds = []TransferKind{HostToDevice, DeviceToHost, DeviceToDevice, OtherCopy, Fill}

// Words are what one transfer of a kind, or several, are called; "" for a kind that this perfgate does not know.
func (k TransferKind) Words(n int64) string {
	words := transferWords[k]
	if n == 1 {
		return words[0]
	}
	return words[1]
}

var transferWords = map[TransferKind][2]string{
	HostToDevice: {"copy from host to device", "copies from host to device"}, DeviceToHost: {"copy from device to host", "copies from device to host"},
	DeviceToDevice: {"copy on the device", "copies on the device"}, OtherCopy: {"other copy", "other copies"}, Fill: {"fill", "fills"},
}

// WorkPair is the work of both sides of a case.
type WorkPair struct {
	Base *DeviceWork `json:"base,omitempty"` // missing where it was not counted
	Head *DeviceWork `json:"head,omitempty"` // missing where it was not counted
}

// Transferred is the transfers of a kind; zero where there are none.
func (w DeviceWork) Transferred(kind TransferKind) Transfer {
	for _, t := range w.Transfers {
		if t.Kind == kind {
			return t
		}
	}
	return Transfer{Kind: kind}
}

// TransferSeconds is the time of all transfers.
func (w DeviceWork) TransferSeconds() (all float64) {
	for _, t := range w.Transfers {
		all += t.Seconds
	}
	return all
}
