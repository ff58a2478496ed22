package baseline

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// commitName is the n-th made-up commit.
func commitName(n int) string { return fmt.Sprintf("%040x", n+1) }

// sampleRecord is a record of one case of so many rounds, two processes each.
func sampleRecord(n, rounds int) *Record {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	c := Case{
		Name: "attention/B=32,H=8,S=512,D=64,causal=0", Kernel: "attention", ConfigHash: strings.Repeat("c0", 32), Fingerprint: strings.Repeat("f1", 16),
		Method:   result.Method{Clock: "thread", Launches: 1, Pool: 4, Samples: 50, Cache: "cold", Pin: true, LaunchNS: 321_000, QuantumNS: 1},
		Canaries: Canaries{ComputeNS: 300_000, MemoryNS: 5_000_000},
	}
	for i := range 2 * rounds {
		c.Rounds = append(c.Rounds, i/2)
		c.ValuesNS = append(c.ValuesNS, significant(321_000*math.Exp(0.006*random.NormFloat64())))
	}
	return &Record{
		Schema: Schema, Tool: result.Tool{Name: "perfgate", Version: "v1.0.0"}, Commit: commitName(n), Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Machine: result.Machine{Key: "nvidia-l4-1234abcd", Device: "cpu", Model: "a machine", Cores: 8, OS: "Linux", Arch: "amd64"},
		Cases:   []Case{c}, Canaries: Canaries{ComputeNS: 300_000, MemoryNS: 5_000_000},
	}
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	r := sampleRecord(1, 36)
	data, err := Encode(r)
	must(t, err)
	if len(data) >= 10_000 {
		t.Errorf("a case of 36 rounds takes %d bytes, want less than 10 kB", len(data))
	}
	t.Logf("a case of 36 rounds takes %d bytes", len(data))
	back, err := decodeAs(r.Key(), data)
	must(t, err)
	again, err := Encode(back)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("written again the record differs (%v)", err)
	}
}

// Whatever machines, tools and paths are called, a record is read again, its paths as they were.
func TestWildRecordsAreReadAgain(t *testing.T) {
	t.Parallel()
	wild := "a\x1b[31m\r\nb"
	r := sampleRecord(1, 4)
	r.Machine.Model, r.Toolchain.Version, r.Cases[0].Method.How = wild, wild, wild
	r.Accepted = []Acceptance{{Commit: commitName(1), Pattern: "**", Reason: wild, By: wild}}
	asked := Observation{Asked: map[string][]string{"opened": {wild}}, Environment: &Environment{Parts: []EnvironmentPart{{Name: "numpy", Digest: strings.Repeat("0", 32), Files: []string{"/" + wild}}}}}
	r.TakeObservations(map[string]Observation{"attention": asked})
	data, err := Encode(r)
	must(t, err)
	back, err := Decode(data)
	if err != nil || back.Machine.Model != "a [31m  b" {
		t.Fatalf("%+v, %v", back, err)
	}
	if o, ok := back.Observation(&back.Cases[0]); !ok || o.Asked["opened"][0] != wild || o.Environment.Parts[0].Files[0] != "/"+wild {
		t.Errorf("%+v", o)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	good, err := Encode(sampleRecord(1, 4))
	must(t, err)
	text, err := json.Marshal(sampleRecord(1, 4))
	must(t, err)
	change := func(old, new string) []byte { return pack(t, strings.Replace(string(text), old, new, 1)) }
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 0x55
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":           {nil, ErrCorrupt},
		"cut off":         {good[:len(good)/2], ErrCorrupt},
		"without its end": {good[:len(good)-1], ErrCorrupt},
		"one byte wrong":  {flipped, ErrCorrupt},
		"not compressed":  {text, ErrForeign},
		"other JSON":      {pack(t, `{"schema":"else/v1"}`), ErrForeign},
		"not JSON":        {pack(t, `hello`), ErrForeign},
		"earlier schema":  {pack(t, `{"schema":"perfgate/record/v1"}`), ErrForeign},
		"nothing else":    {pack(t, `{"schema":"`+Schema+`"}`), ErrCorrupt},
		"newer schema":    {change(Schema, "perfgate/record/v4"), ErrNewer},
		"newer, other":    {pack(t, `{"schema":"perfgate/record/v7","cases":"many"}`), ErrNewer},
		"negative time":   {change(`"valuesNs":[`, `"valuesNs":[-1,`), ErrCorrupt},
		"path as commit":  {change(commitName(1), "../../etc/passwd"), ErrCorrupt},
		"type changed":    {change(`"cores":8`, `"cores":"eight"`), ErrCorrupt},
		"unknown field":   {change(`"cores":8`, `"cores":8,"colour":"red"`), ErrCorrupt},
		"field twice":     {change(`"cores":8`, `"cores":8,"cores":9`), ErrCorrupt},
		"another's place": {change(commitName(1), commitName(2)), ErrForeign},
	} {
		if _, err := decodeAs(sampleRecord(1, 4).Key(), c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func pack(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	must(t, z.Close())
	return b.Bytes()
}

func TestFromResultRefusesWhatNoCommitHolds(t *testing.T) {
	t.Parallel()
	hash := func(string) string { return "h" }
	for _, side := range []result.Version{{Kind: result.KindDirectory}, {Kind: result.KindWorktree, Revision: commitName(1), Dirty: true}, {Kind: result.KindRevision, Revision: commitName(1), Flags: []string{"-O0"}}} {
		if _, err := FromResult(&result.Result{Head: side}, result.SideHead, hash); err == nil {
			t.Errorf("%+v was recorded", side)
		}
	}
	r, err := FromResult(&result.Result{Kind: result.KindVersus, Head: result.Version{Kind: result.KindRevision, Revision: "c1"}}, result.SideHead, hash)
	if err == nil || !strings.Contains(err.Error(), "perfgate versus") {
		t.Errorf("a result of versus is recorded: %+v, %v", r, err)
	}
}
