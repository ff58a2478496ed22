package config

import (
	"strings"
	"testing"
)

func TestOtherDevice(t *testing.T) {
	const bench = "kernels: [{name: k, bench: {command: ./b, format: csv}}]\n"
	const good = "version: 1\ndevice: other\nmachine: {key: rocminfo | grep gfx, idle: ./idle, clocks: ./clocks}\ndevices: [/dev/kfd, /dev/dri]\n" + bench
	c := parsed(t, good)
	if c.Machine == nil || c.Machine.Key != "rocminfo | grep gfx" || len(c.Devices) != 2 {
		t.Errorf("%+v, %q", c.Machine, c.Devices)
	}
	for text, want := range map[string]string{
		"version: 1\nmachine: {key: ./key}\n" + bench:                                                    "machine is for an accelerator that perfgate has no clock for, and device is auto",
		"version: 1\ndevice: cuda\ndevices: [/dev/kfd]\n" + bench:                                        "devices is for an accelerator",
		"version: 1\ndevice: other\n" + bench:                                                            "device: other needs machine",
		"version: 1\ndevice: other\nmachine: {idle: ./idle}\n" + bench:                                   "key",
		strings.Replace(good, "/dev/dri", "/dev/../etc", 1):                                              "is not a path of a device",
		strings.Replace(good, "/dev/dri", "/etc/passwd", 1):                                              "is not a path of a device",
		strings.Replace(good, "/dev/dri", "/dev", 1):                                                     "is not a path of a device",
		strings.Replace(good, bench, "kernels: [{name: k, adapter: a.cc}]\n", 1):                         "would be timed by perfgate, which has no clock for device: other",
		strings.Replace(good, bench, "kernels: [{name: k, bench: {script: b.py, format: triton}}]\n", 1): "would be timed by perfgate",
	} {
		if _, err := Parse("perfgate.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
	// What runs on the machine is policy: a change of it by head counts as one.
	if own, changed := c, parsed(t, strings.Replace(good, "./idle", "'true'", 1)); len(DiffRules(own, changed, nil)) == 0 {
		t.Error("another command is no change of the rules")
	}
}
