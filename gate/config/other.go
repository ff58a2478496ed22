package config

import (
	"fmt"
	"path"
	"strings"
)

// MachineCommands say of an accelerator that perfgate has no clock for what a driver's library says of a GPU. They run in the folder of the file, by sh.
type MachineCommands struct {
	Key    string `key:"key" is:"script" required:"yes"` // prints one line that names the model
	Idle   string `key:"idle" is:"script"`               // exits with another status than 0 while somebody uses the accelerator
	Clocks string `key:"clocks" is:"script"`             // prints clocks or temperatures, noted before and after the rounds
}

// checkOther judges what device: other needs and what belongs to it.
func (c *Config) checkOther(d *decoder) {
	const only = "device: other, with machine.key and self-timed benchmarks"
	if c.Device != DeviceOther {
		for _, key := range []string{"machine", "devices"} {
			d.failAt(key, only, "%s is for an accelerator that perfgate has no clock for, and device is %s", key, c.Device)
		}
		return
	}
	if c.Machine == nil {
		d.failAt("device", "machine: {key: COMMAND}, whose command prints the model", "device: other needs machine, which says what records and locks are of")
	}
	for _, k := range c.Kernels {
		if format := k.Format(); format == nil || k.HasAdapter() || format.Traits().OurClock {
			d.failAt(join(k.at, "name"), "bench: {command: …} in a format whose program times itself",
				"kernel %s would be timed by perfgate, which has no clock for device: other", quoted(k.Name))
		}
	}
}

// checkDevice is about the text alone: whether there is such a device is known on the machine.
func checkDevice(p string) (problem, allowed string) {
	if clean := path.Clean(p); clean != p || !strings.HasPrefix(p, "/dev/") {
		return fmt.Sprintf("%s is not a path of a device", quoted(p)), "a device, or a folder of them, below /dev, such as /dev/kfd"
	}
	return "", ""
}
