package doctor

import (
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/run"
)

// An accelerator that perfgate has no clock for is asked by the commands of the configuration; who uses it makes the machine unfit for now.
func TestOtherAccelerator(t *testing.T) {
	for name, tt := range map[string]struct {
		commands          config.MachineCommands
		key, idle, clocks Status
	}{
		"fit":            {config.MachineCommands{Key: "echo n300", Idle: "true", Clocks: "echo 1000 MHz"}, OK, OK, OK},
		"in use":         {config.MachineCommands{Key: "echo n300", Idle: "echo pid 7; exit 1", Clocks: "echo 1000 MHz"}, OK, Bad, OK},
		"broken":         {config.MachineCommands{Key: "exit 1", Clocks: "exit 1"}, Bad, OK, Warn},
		"without clocks": {config.MachineCommands{Key: "echo n300"}, OK, OK, Warn},
	} {
		var f Facts
		f.askOther(t.Context(), run.NewAccelerator(&config.Config{Device: config.DeviceOther, Machine: &tt.commands, Dir: t.TempDir()}, nil))
		got := map[string]Status{}
		for _, one := range Examine(f).Findings {
			if one.Group == "device" {
				got[one.Name] = one.Status
			}
			if one.Group == "GPU" {
				t.Errorf("%s: it asks for a GPU: %+v", name, one)
			}
		}
		if got["key"] != tt.key || got["idle"] != tt.idle || got["clocks"] != tt.clocks {
			t.Errorf("%s: %v", name, got)
		}
	}
	var none Facts
	none.askOther(t.Context(), run.NewAccelerator(&config.Config{Device: config.DeviceCPU}, nil))
	if none.Other {
		t.Error("a CPU is no accelerator")
	}
}
