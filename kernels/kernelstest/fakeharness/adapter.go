// Package fakeharness is a process in the place of the harness, for tests of what runs make of times. Nothing is launched and nothing is timed: an adapter
// says how long a launch of it takes, and these times vary by seeds alone, so that they are the same on a busy machine. Builds, processes and the runner
// protocol are real. It does not confine itself: adapters of it are a test's own.
package fakeharness

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

// Adapter is what an adapter is and does, in place of code. It has one parameter, n, and tensors x and y of n elements.
type Adapter struct {
	LaunchNS float64 `json:"launchNs"`
	Dtype    string  `json:"dtype,omitempty"` // of y; "" for f32
	Wrong    bool    `json:"wrong,omitempty"` // y is not what others compute
	Lacks    int64   `json:"lacks,omitempty"` // an n that it does not support
	Holds    string  `json:"holds,omitempty"` // a path: while it is there, no launch comes to its end
}

const mark = "perfgate-fake-adapter:"

// Entries is C++ of what an adapter has to define. They are never called: other harnesses load it in vain.
const Entries = `#include "perfgate.h"
extern "C" int pg_spec(const pg_case *, pg_tensor *, int) { return -1; }
extern "C" int pg_launch(const pg_case *, void *const *, void *, void *) { return -1; }
`

// Code is C++ of a kernel, by which the fake harness knows a library that it is in. It is compiled as others are.
func (a Adapter) Code() string {
	data, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("extern \"C\" __attribute__((used)) const char fake_adapter[] = R\"(%s%s)\";\n", mark, data)
}

// Source is an adapter with the kernel in it.
func (a Adapter) Source() string { return Entries + a.Code() }

// library is an adapter that was loaded.
type library struct {
	Adapter
	digest [sha256.Size]byte
}

var errNoAdapter = errors.New("it is no adapter of the fake harness")

func load(path string) (l library, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return l, err
	}
	at := bytes.Index(data, []byte(mark))
	if at < 0 {
		return l, errNoAdapter
	}
	l.digest = sha256.Sum256(data)
	return l, json.NewDecoder(bytes.NewReader(data[at+len(mark):])).Decode(&l.Adapter)
}

// Processes of one library differ by about 0.3 %, and launches in a process by 1 %.
const (
	processSD = 0.003
	sampleSD  = 0.01
)

// samples are so many times of a launch, ns, as a process has them that was given a seed: the same for the same code.
func (l library) samples(seed string, n int) []float64 {
	at := sha256.Sum256(append(l.digest[:], strings.TrimSpace(seed)...))
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(at[:]), binary.LittleEndian.Uint64(at[8:])))
	level := l.LaunchNS * math.Exp(processSD*rng.NormFloat64())
	out := make([]float64, n)
	for i := range out {
		out[i] = level * math.Exp(sampleSD*rng.NormFloat64())
	}
	return out
}
