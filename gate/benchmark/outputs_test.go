package benchmark

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/org/perfgate/gate/untrusted"
)

func npy(header string, data ...byte) []byte {
	file := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(file[8:], uint16(len(header)))
	return append(append(file, header...), data...)
}

func described(descr, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", descr, shape)
}

// What a process of a check writes is hostile: shapes that are not those of the data, sizes that overflow, pickles, other orders.
func TestHostileOutputs(t *testing.T) {
	t.Parallel()
	const noPickle, tooLarge = "only arrays of numbers are read, without pickle", "larger than any file that is read"
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"a.npy", npy(described("<f4", "1, 2"), make([]byte, 8)...), ""},
		{"a.npy", npy(described("|u1", ""), 7), ""},
		{"a.raw", []byte("i16 2\nabcd"), ""},
		{"a.npy", npy(described("|O", "1,"), make([]byte, 8)...), noPickle},
		{"a.npy", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 0, 0, 0, 0), noPickle},
		{"a.npy", npy(described("<f4", "-1,"), 0, 0, 0, 0), noPickle},
		{"a.npy", npy(described("<f4", "99999999999999999999,"), 0), tooLarge},
		{"a.npy", npy(described("<f8", "4294967296, 4294967296,"), 0), tooLarge},
		{"a.raw", []byte("f32 1" + strings.Repeat(",1", 16) + "\nabcd"), tooLarge},
		{"a.npy", npy(described("<f4", "2,"), make([]byte, 7)...), "it has 7 bytes of data, and its shape (2) of f32 takes 8"},
		{"a.npy", npy(described("<f4", "2,"))[:30], "it ends within its header"},
		{"a.npy", []byte("\x93NUMPY\x09\x00\x00\x00\x00\x00"), "does not begin as a .npy file"},
		{"a.npy", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "it ends within its header"},
		{"a.npy", nil, "does not begin as a .npy file"},
		{"a.npy", npy(described(">f4", "1,"), make([]byte, 4)...), "it is big-endian"},
		{"a.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", make([]byte, 4)...), "it is in Fortran's order"},
		{"a.npy", npy(described("|f1", "1,"), 1), "is not one that is read"},
		{"a.raw", []byte("f32\nabcd"), "its first line is"},
		{"a.pkl", []byte("x"), "ends in neither"},
		{"a.raw", []byte("f32 1"), "it has 0 bytes of data"},
	} {
		if _, err := readOutput(tt.name, tt.data); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %.60q: %v, want %q", tt.name, tt.data, err, tt.want)
		}
	}
	if _, err := ReadOutputs(untrusted.FS(t.TempDir(), untrusted.NoLimit)); err == nil || !strings.Contains(err.Error(), CheckVariable) {
		t.Errorf("nothing written: %v", err)
	}
}

func floats(values ...float32) []byte {
	out := fmt.Appendf(nil, "f32 %d\n", len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func outputsOf(t *testing.T, files map[string][]byte) Outputs {
	t.Helper()
	folder := fstest.MapFS{}
	for name, data := range files {
		folder[name] = &fstest.MapFile{Data: data}
	}
	out, err := ReadOutputs(folder)
	must(t, err)
	return out
}

// Zeros, or one array whatever the seed is, must not pass for what base computes: each array has to tell, whatever others do.
func TestOutputsThatTellNothing(t *testing.T) {
	t.Parallel()
	wide, whole := 0.01, 1.0
	ints := func(bytes string) []byte { return fmt.Appendf(nil, "u8 %d\n%s", len(bytes), bytes) }
	halves := func(bytes string) []byte { return fmt.Appendf(nil, "f16 %d\n%s", len(bytes)/2, bytes) }
	inf := float32(math.Inf(1))
	for _, tt := range []struct {
		name   string
		seeds  [3][]byte
		bounds Bounds
		want   string
	}{
		{"of about 1", [3][]byte{floats(1, 2), floats(2, 1), floats(3, 1)}, Bounds{}, ""},
		{"small ones", [3][]byte{floats(1e-6), floats(2e-6), floats(3e-6)}, Bounds{}, ""},
		{"small ones, and wide bounds", [3][]byte{floats(1e-3), floats(2e-3), floats(3e-3)}, Bounds{ATol: &wide}, "(atol 0.01, rtol 1e-05)"},
		{"one third that differs", [3][]byte{floats(1), floats(1), floats(3)}, Bounds{}, ""},
		{"what one constant is close to", [3][]byte{floats(1), floats(1.015), floats(1.015)}, Bounds{ATol: &wide}, "zeros or a constant could pass"},
		{"what zeros are as close to", [3][]byte{floats(1, 9), floats(9, 1), floats(5, 5)}, Bounds{RTol: &whole}, "zeros or a constant could pass"},
		{"the same", [3][]byte{floats(1), floats(1), floats(1)}, Bounds{}, "is the same whatever PERFGATE_CHECK_SEED is"},
		{"the same but for the last digit", [3][]byte{floats(100), floats(100.00001), floats(100)}, Bounds{}, "zeros or a constant could pass"},
		{"infinities alike", [3][]byte{floats(inf, 1), floats(inf, 1), floats(inf, 1)}, Bounds{}, "is the same"},
		{"integers", [3][]byte{ints("ab"), ints("ac"), ints("ab")}, Bounds{}, ""},
		{"integers of which one is zeros", [3][]byte{ints("\x00"), ints("\x01"), ints("\x00")}, Bounds{}, ""},
		{"integers alike", [3][]byte{ints("ab"), ints("ab"), ints("ab")}, Bounds{}, "is the same"},
		{"other shapes", [3][]byte{floats(1), floats(1, 1), floats(1)}, Bounds{}, ""},
		{"other shapes, of small ones", [3][]byte{floats(1e-3), floats(1e-3, 1e-3), floats(1e-3)}, Bounds{ATol: &wide}, "zeros or a constant could pass"},
		{"nothing", [3][]byte{ints(""), ints(""), ints("")}, Bounds{}, "is the same"},
		{"the smallest halves", [3][]byte{halves("\x01\x00"), halves("\x00\x00"), halves("\x01\x00")}, Bounds{}, "zeros or a constant could pass"},
		{"halves as of a wide softmax", [3][]byte{halves("\x00\x03"), halves("\x00\x02"), halves("\x00\x01")}, Bounds{}, ""},
	} {
		var seeds []Outputs
		for i, data := range tt.seeds {
			seeds = append(seeds, outputsOf(t, map[string][]byte{"a.raw": ints(fmt.Sprint(i)), "o.raw": data}))
		}
		if got := tt.bounds.Untold(seeds); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") || got != "" && !strings.Contains(got, `"o.raw"`) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestOutputsAreComparedByBounds(t *testing.T) {
	t.Parallel()
	read := func(files map[string][]byte) Outputs { return outputsOf(t, files) }
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	base := read(map[string][]byte{"o.raw": floats(1, 100, nan, inf)})
	tenth := 0.1
	for _, tt := range []struct {
		name, file string
		data       []byte
		bounds     Bounds
		want       string
	}{
		{"the same", "o.raw", floats(1, 100, nan, inf), Bounds{}, ""},
		{"within", "o.raw", floats(1, 100.0005, nan, inf), Bounds{}, ""},
		{"beyond", "o.raw", floats(1, 100.5, nan, inf), Bounds{}, `"o.raw": 1 of 4 elements differ from base's by more than they may, the worst element 1 of [4]: it is 100.5`},
		{"wider bounds", "o.raw", floats(1, 100.5, nan, inf), Bounds{RTol: &tenth}, ""},
		{"a number for NaN", "o.raw", floats(1, 100, 3, inf), Bounds{RTol: &tenth}, "1 of 4 elements"},
		{"NaN for a number", "o.raw", floats(nan, 100, nan, inf), Bounds{RTol: &tenth}, "1 of 4 elements"},
		{"another infinity", "o.raw", floats(1, 100, nan, -inf), Bounds{RTol: &tenth}, "1 of 4 elements"},
		{"another shape", "o.raw", floats(1, 100, nan), Bounds{}, `"o.raw" is f32 [3], and base's is f32 [4]`},
		{"another file", "p.raw", floats(1), Bounds{}, `"o.raw" is missing`},
	} {
		if got := tt.bounds.Compare(base, read(map[string][]byte{tt.file: tt.data})); !strings.Contains(got.Differs, tt.want) || (got.Differs == "") != (tt.want == "") {
			t.Errorf("%s: %+v, want %q", tt.name, got, tt.want)
		}
	}
	for bits, want := range map[uint16]float64{0x3c00: 1, 0xc000: -2, 0x0001: math.Ldexp(1, -24), 0x7c00: math.Inf(1), 0x3555: 0.333251953125} {
		if got := half(bits); got != want {
			t.Errorf("half %x is %v, want %v", bits, got, want)
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add(true, npy(described("<f4", "1, 2"), make([]byte, 8)...))
	f.Add(false, []byte("bf16 2\nabcd"))
	f.Fuzz(func(t *testing.T, isNPY bool, data []byte) {
		name := "a.raw"
		if isNPY {
			name = "a.npy"
		}
		if o, err := readOutput(name, data); err == nil {
			all := Outputs{name: o}
			if got := (Bounds{}).Compare(all, all); got.Differs != "" || got.Elements*int64(o.size) != int64(len(o.data)) {
				t.Fatalf("%+v", got)
			}
		}
	})
}
