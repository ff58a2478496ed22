package observe

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

var processors = map[string]*arch.Info{"amd64": arch.X86_64, "arm64": arch.AARCH64}

// systemCalls are those that x/sys knows, by name.
func systemCalls(t *testing.T, processor string) map[string]int {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Skipf("where is x/sys: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+processor+".go"))
	must(t, err)
	found := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\s+SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(text), -1) {
		number, _ := strconv.Atoi(m[2])
		found[strings.ToLower(m[1])] = number
	}
	if len(found) < 300 {
		t.Fatalf("only %d system calls", len(found))
	}
	return found
}

// A system call that x/sys knows and nobody has judged is refused, which breaks programs: it belongs into a class.
func TestEveryCallIsInAClass(t *testing.T) {
	for processor, info := range processors {
		numbers := numbersOf(info)
		for name, number := range systemCalls(t, processor) {
			if classes()[name] == 0 {
				t.Errorf("%s: %s is in no class", processor, name)
			}
			if numbers[name] != number && name != "arch_specific_syscall" { // of which there are 16, on other processors
				t.Errorf("%s: %s is %d and not %d", processor, name, number, numbers[name])
			}
		}
	}
}

func TestNoCallIsInTwoClasses(t *testing.T) {
	all := slices.Concat(strings.Fields(harmlessCalls), strings.Fields(refusedCalls))
	for name := range calls {
		all = append(all, name)
	}
	slices.Sort(all)
	if once := slices.Compact(slices.Clone(all)); len(once) != len(all) || len(once) != len(classes()) {
		t.Errorf("%d names, %d different", len(all), len(once))
	}
	amd64, arm64 := numbersOf(arch.X86_64), numbersOf(arch.AARCH64)
	for _, name := range all {
		_, a := amd64[name]
		if _, b := arm64[name]; !a && !b && name != "arch_specific_syscall" {
			t.Errorf("there is no %s", name)
		}
	}
}

// verdict runs the filter. The machine of x/net reads words as networks send them.
func verdict(t *testing.T, vm *bpf.VM, processor arch.AuditArch, number uint32, arguments ...uint64) uint32 {
	t.Helper()
	data := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, number), uint32(processor))
	data = append(data, make([]byte, 8)...)
	for _, a := range append(arguments, make([]uint64, 6-len(arguments))...) {
		data = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(data, uint32(a)), uint32(a>>32))
	}
	got, err := vm.Run(data)
	must(t, err)
	return uint32(got)
}

func TestFilterSaysWhatTheTableSays(t *testing.T) {
	want := map[class]uint32{reported: notify, harmless: allow, refused: refuse}
	for processor, info := range processors {
		raw, err := filter(info)
		must(t, err)
		program, whole := bpf.Disassemble(raw)
		vm, err := bpf.NewVM(program)
		if err != nil || !whole {
			t.Fatal(err)
		}
		t.Logf("%s: %d instructions", processor, len(raw))
		numbers := numbersOf(info)
		named := map[int]string{}
		for name, number := range numbers {
			named[number] = name
		}
		for number := range 600 {
			name, known := named[number]
			expected := refuse
			if known && classes()[name] != 0 {
				expected = want[classes()[name]]
			}
			if name == "clone" || name == "sendto" {
				expected = allow // without these arguments
			}
			if got := verdict(t, vm, info.ID, uint32(number)); got != expected {
				t.Errorf("%s: %d (%s): %x, want %x", processor, number, name, got, expected)
			}
		}
		for _, c := range []struct {
			name      string
			arguments []uint64
			want      uint32
		}{
			{"clone", []uint64{unix.CLONE_NEWNS | unix.CLONE_VM}, notify}, {"clone", []uint64{unix.CLONE_VM | unix.CLONE_VFORK, ^uint64(0)}, allow},
			{"sendto", []uint64{3, 1, 1, 0, 1, 0}, notify}, {"sendto", []uint64{3, 1, 1, 0, 1 << 32, 0}, notify}, {"sendto", []uint64{3, 1, 1, 5, 0, 9}, allow},
		} {
			if got := verdict(t, vm, info.ID, uint32(numbers[c.name]), c.arguments...); got != c.want {
				t.Errorf("%s: %s%v: %x, want %x", processor, c.name, c.arguments, got, c.want)
			}
		}
		const x32 = 1 << 30
		for what, got := range map[string]uint32{
			"x32": verdict(t, vm, info.ID, x32|uint32(numbers["openat"])), "i386": verdict(t, vm, arch.I386.ID, 5),
			"ARM": verdict(t, vm, arch.ARM.ID, 5), "a younger call": verdict(t, vm, info.ID, 4000), "-1": verdict(t, vm, info.ID, ^uint32(0)),
		} {
			if got != refuse {
				t.Errorf("%s: %s: %x", processor, what, got)
			}
		}
	}
}

func TestKindsAsText(t *testing.T) {
	for _, k := range []Kinds{Opened, Made, LookedUp | Linked | Executed, 255} {
		text, _ := k.MarshalText()
		var back Kinds
		if err := back.UnmarshalText(text); err != nil || back != k {
			t.Errorf("%d: %s: %d, %v", k, text, back, err)
		}
	}
	if err := new(Kinds).UnmarshalText([]byte("opened+guessed")); err == nil {
		t.Error("any word is taken")
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
