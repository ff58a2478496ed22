package benchmark

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// What one process of a check may hand over.
const (
	mostOutputs    = 256
	mostOutputSize = MaxAnswer
	mostDimensions = 16
)

// output is an array that a process of a check wrote.
type output struct {
	dtype string // f32, i64, …
	shape []int64
	size  int    // bytes of an element
	data  []byte // little-endian
}

// npyHeader is what numpy writes in front of an array, and nothing else that is Python: a type of objects, which only pickle reads, does not fit.
var npyHeader = text.Pattern(`^\{'descr': '([<>|=])([fiub])([1248])', 'fortran_order': (True|False), 'shape': \(([0-9]*(?:, ?[0-9]+)*),?\), ?\}\s*$`)

// rawHeader is the first line of a file of the plainest kind: f32 2,3
var rawHeader = text.Pattern(`^(f64|f32|f16|bf16|i64|i32|i16|i8|u64|u32|u16|u8|b8) ([0-9]+(?:,[0-9]+)*)$`)

// readOutput reads .npy (without objects) or .raw: what it says of itself has to be what it has, to the byte.
func readOutput(name string, file []byte) (o output, err error) {
	var dims string
	switch path.Ext(name) {
	case ".npy":
		o, dims, err = readNPY(file)
	case ".raw":
		line, data, _ := bytes.Cut(file, []byte("\n"))
		parts := rawHeader().FindSubmatch(line[:min(len(line), 400)])
		if parts == nil {
			return o, fmt.Errorf("its first line is %s, want a type and the dimensions, such as f32 2,3", Quoted(string(line)))
		}
		o.dtype, o.data, dims = string(parts[1]), data, string(parts[2])
	default:
		return o, errors.New("its name ends in neither .npy nor .raw")
	}
	if err != nil {
		return o, err
	}
	bits, _ := strconv.Atoi(strings.TrimLeft(o.dtype, "bfiu")) // of the expression's types
	o.size = bits / 8
	elements := int64(1)
	for _, dim := range strings.FieldsFunc(dims, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.ParseInt(dim, 10, 64)
		if err != nil || len(o.shape) == mostDimensions || n > 0 && elements > mostOutputSize/n {
			return o, fmt.Errorf("its shape %s is larger than any file that is read", Quoted(dims))
		}
		o.shape, elements = append(o.shape, n), elements*n
	}
	if want := elements * int64(o.size); want != int64(len(o.data)) {
		return o, fmt.Errorf("it has %d bytes of data, and its shape (%s) of %s takes %d", len(o.data), dims, o.dtype, want)
	}
	return o, nil
}

func readNPY(file []byte) (o output, dims string, err error) {
	const magic = "\x93NUMPY"
	if len(file) < 12 || string(file[:6]) != magic || file[6] < 1 || file[6] > 3 {
		return o, "", errors.New("it does not begin as a .npy file of version 1 to 3")
	}
	start, length := 10, int(binary.LittleEndian.Uint16(file[8:]))
	if file[6] > 1 {
		start, length = 12, int(min(binary.LittleEndian.Uint32(file[8:]), 1<<20))
	}
	if length > len(file)-start {
		return o, "", errors.New("it ends within its header")
	}
	parts := npyHeader().FindStringSubmatch(string(file[start : start+length]))
	switch {
	case parts == nil:
		return o, "", fmt.Errorf("its header is %s: only arrays of numbers are read, without pickle", Quoted(string(file[start:start+length])))
	case parts[1] == ">":
		return o, "", errors.New("it is big-endian, and only little-endian arrays are read")
	case parts[4] == "True":
		return o, "", errors.New("it is in Fortran's order: write numpy.ascontiguousarray")
	}
	bytes, _ := strconv.Atoi(parts[3]) // a digit
	o.dtype, o.data = parts[2]+strconv.Itoa(8*bytes), file[start+length:]
	if parts[2] == "f" && bytes == 1 || parts[2] == "b" && bytes > 1 {
		return o, "", fmt.Errorf("its type %s is not one that is read", Quoted(parts[2]+parts[3]))
	}
	return o, parts[5], nil
}

// at is an element of floats.
func (o output) at(i int) float64 {
	b := o.data[i*o.size:]
	switch o.dtype {
	case "f64":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case "f32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "bf16":
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	}
	return half(binary.LittleEndian.Uint16(b))
}

// half is a number of 16 bits (IEEE 754 binary16).
func half(bits uint16) float64 {
	const infinite = 31 << 10
	wide := uint32(bits&0x8000)<<16 | uint32(bits&0x7fff)<<13 // with the exponent of a number of 32 bits, whose bias is larger by 112
	if bits&infinite == infinite {
		wide |= 0xff << 23
	}
	return float64(math.Float32frombits(wide)) * 0x1p112
}

func (o output) isFloat() bool { return strings.Contains(o.dtype, "f") }

// magnitude is the mean of the absolute values of what is finite of floats.
func (o output) magnitude() float64 {
	sum, finite := 0.0, 0
	for i := range len(o.data) / o.size {
		if v := math.Abs(o.at(i)); v <= math.MaxFloat64 {
			sum, finite = sum+v, finite+1
		}
	}
	return sum / float64(max(finite, 1))
}

// Outputs are the arrays that a process of a check wrote, by their files.
type Outputs map[string]output

// ReadOutputs reads all that a process of a check left in its folder. It is untrusted: nothing of it is trusted but its bytes, and these are counted.
func ReadOutputs(folder fs.FS) (Outputs, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("list what it wrote: %w", err)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("it wrote no file into the folder that %s names", CheckVariable)
	}
	out, left := Outputs{}, int64(4*mostOutputSize)
	if len(entries) > mostOutputs {
		return nil, fmt.Errorf("it wrote more than %d files", mostOutputs)
	}
	for _, entry := range entries {
		data, err := Output{Folder: folder}.answer(entry.Name())
		if left -= int64(len(data)); err == nil && left < 0 {
			err = errors.New("it wrote more than is read in all")
		}
		if err != nil {
			return nil, err
		}
		one, err := readOutput(entry.Name(), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Quoted(entry.Name()), err)
		}
		out[entry.Name()] = one
	}
	return out, nil
}

// Variables of the environment of a check: where its outputs go, and what its inputs are made from.
const (
	CheckVariable = "PERFGATE_CHECK_OUT"
	SeedVariable  = "PERFGATE_CHECK_SEED"
)

// Bounds are how far an element of floats may be off: atol + rtol times base's. Integers are equal.
type Bounds struct{ ATol, RTol *float64 }

// of are the bounds of an array of base's. What is not given follows from its precision. The default for atol suits elements of about 1 and shrinks with
// smaller ones, or zeros would pass for these. For f16 it is at least the step between subnormal numbers: an output can be as small as that.
func (b Bounds) of(want output) (atol, rtol float64) {
	rtol = map[string]float64{"f64": 1e-9, "f32": 1e-5, "f16": 5e-3, "bf16": 3e-2}[want.dtype]
	switch {
	case b.ATol != nil:
		atol = *b.ATol
	case want.isFloat():
		atol = rtol * min(1, want.magnitude())
		if want.dtype == "f16" {
			atol = max(atol, math.Ldexp(1, -24))
		}
	}
	if b.RTol != nil {
		rtol = *b.RTol
	}
	return atol, rtol
}

// Untold says which array of base's outputs from several seeds cannot tell a wrong head from a right one, "" where each can. It is the same for all seeds,
// or the bounds are too wide for it: zeros pass for every seed, or its elements differ by no more than twice the bound, so that one constant could pass for
// all of them. Each array is judged on its own.
func (b Bounds) Untold(seeds []Outputs) string {
	firsts := Outputs{}
	for _, outputs := range slices.Backward(seeds) {
		maps.Copy(firsts, outputs)
	}
	for _, name := range slices.Sorted(maps.Keys(firsts)) {
		first := firsts[name]
		varies, apart, zeros := false, 0.0, 0.0
		for _, outputs := range seeds {
			other, has := outputs[name]
			if !has {
				continue
			}
			var seed, zero Compared
			if other.dtype != first.dtype || !slices.Equal(other.shape, first.shape) {
				seed.Worst, varies = math.Inf(1), true
			} else {
				b.compare(&seed, name, first, other)
			}
			b.compare(&zero, name, other, output{dtype: other.dtype, shape: other.shape, size: other.size, data: make([]byte, len(other.data))})
			varies, apart, zeros = varies || !bytes.Equal(first.data, other.data), max(apart, seed.Worst), max(zeros, zero.Worst)
		}
		switch atol, rtol := b.of(first); {
		case !varies:
			return fmt.Sprintf("%s is the same whatever %s is, so it says nothing of what is computed: make its inputs from the seed, or do not write it", Quoted(name), SeedVariable)
		case apart <= 2 || zeros <= 1:
			return fmt.Sprintf("%s varies by less than the bounds allow (atol %g, rtol %g), so zeros or a constant could pass: say a smaller atol or rtol, or write outputs that vary more",
				Quoted(name), atol, rtol)
		}
	}
	return ""
}

// Compared is what came of a comparison of outputs.
type Compared struct {
	Elements int64
	Worst    float64 // error of an element over its bound
	Differs  string  // why they are not the same; "" where they are
}

// Compare compares outputs with base's.
func (b Bounds) Compare(base, other Outputs) (c Compared) {
	for name, want := range base {
		got, has := other[name]
		switch {
		case !has:
			return Compared{Differs: fmt.Sprintf("%s is missing, which base writes", Quoted(name))}
		case got.dtype != want.dtype || !slices.Equal(got.shape, want.shape):
			return Compared{Differs: fmt.Sprintf("%s is %s %v, and base's is %s %v", Quoted(name), got.dtype, got.shape, want.dtype, want.shape)}
		}
	}
	for name := range other {
		if _, has := base[name]; !has {
			return Compared{Differs: fmt.Sprintf("%s is written, which base does not write", Quoted(name))}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(base)) {
		b.compare(&c, name, base[name], other[name])
	}
	return c
}

func (b Bounds) compare(c *Compared, name string, want, got output) {
	atol, rtol := b.of(want)
	wrong, worst, at := 0, 0.0, 0
	n := len(want.data) / want.size
	for i := range n {
		ratio := 0.0
		switch from, to := i*want.size, (i+1)*want.size; {
		case bytes.Equal(want.data[from:to], got.data[from:to]):
		case !want.isFloat():
			ratio = math.Inf(1)
		default:
			ratio = errorRatio(want.at(i), got.at(i), atol, rtol)
		}
		if ratio > 1 {
			wrong++
		}
		if ratio > worst {
			worst, at = ratio, i
		}
	}
	c.Elements += int64(n)
	c.Worst = max(c.Worst, worst)
	if wrong > 0 && c.Differs == "" {
		c.Differs = fmt.Sprintf("%s: %d of %d elements differ from base's by more than they may, the worst element %d of %v", Quoted(name), wrong, n, at, want.shape)
		if want.isFloat() {
			c.Differs += fmt.Sprintf(": it is %g, and base's is %g (atol %g, rtol %g)", got.at(at), want.at(at), atol, rtol)
		}
	}
}

// errorRatio is an element's error over its bound. What is no number, or infinite, has to be the same in both.
func errorRatio(want, got, atol, rtol float64) float64 {
	switch {
	case math.IsNaN(want) && math.IsNaN(got) || want == got:
		return 0
	case math.IsNaN(want) || math.IsNaN(got) || math.IsInf(want, 0) || math.IsInf(got, 0):
		return math.Inf(1)
	}
	return math.Abs(got-want) / (atol + rtol*math.Abs(want)) // of bounds of 0 infinite
}
