package action

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/kernelstest"
)

// Forged results: each is refused, and the status, the comment and the summary say why.
func TestForgedResults(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		forge func(*result.Result)
		says  string
	}{
		"another commit": {func(r *result.Result) { r.Head.Revision = strings.Repeat("e", 40) }, "it is about head"},
		"another base":   {func(r *result.Result) { r.Base.Revision = strings.Repeat("e", 40) }, "it is about base"},
		"conclusion":     {func(r *result.Result) { r.Conclusion = result.Conclusion{Verdict: result.RunPassed} }, "it says pass (exit 0)"},
		"verdict of a case": {func(r *result.Result) {
			r.Cases[1].Verdict, r.Conclusion = result.Same, result.Conclusion{Verdict: result.RunPassed}
		}, "its samples come to regression"},
		"everything but the samples": {func(r *result.Result) {
			c := &r.Cases[1]
			c.Verdict, c.Looks, r.Conclusion = result.Same, r.Cases[0].Looks, result.Conclusion{Verdict: result.RunPassed}
			c.SetComparison(result.VariantHead, result.VariantBase, r.Cases[0].Compared())
		}, "its samples come to regression"},
		"tolerance": {func(r *result.Result) { r.Policy.Tolerance = 0.9 }, "the configuration that counts"},
		"tolerance of a case": {func(r *result.Result) {
			r.Policy.Tolerances = []result.CaseTolerance{{Cases: "k/n=2", Tolerance: 0.9}}
			c := &r.Cases[1]
			c.Verdict, c.Compared().Tolerance, r.Conclusion = result.Slower, 0.9, result.Conclusion{Verdict: result.RunPassed}
		}, "the configuration that counts"},
		"tolerance of a comparison": {func(r *result.Result) { r.Cases[1].Compared().Tolerance = 0.9 }, "tolerance 90 %, but its samples come to"},
		"confidence":                {func(r *result.Result) { r.Policy.Confidence = 0.5 }, "the configuration that counts"},
		"open passes":               {func(r *result.Result) { r.Policy.OnInconclusive = result.OnInconclusivePass }, "the configuration that counts"},
		"more cases":                {func(r *result.Result) { r.Policy.Cases = 1000 }, "the configuration that counts"},
		"the slow case left out": {func(r *result.Result) {
			r.Cases = append(r.Cases[:1], r.Cases[2:]...)
			r.Conclusion = result.Conclusion{Verdict: result.RunPassed}
		}, "what was planned is not in the result: k/n=2"},
		"the kernel renamed": {func(r *result.Result) {
			r.Kernels[0].Name = "other"
			for i := range r.Cases {
				r.Cases[i].Kernel = "other"
			}
			r.Cases, r.Conclusion = r.Cases[:1], result.Conclusion{Verdict: result.RunPassed}
		}, "what was planned is not in the result: kernel k"},
		"parity off": {func(r *result.Result) {
			r.Kernels[0].Parity.Status = result.ParityOff
		}, "parity is off for kernel k"},
		"nothing to do": {func(r *result.Result) {
			r.Kernels, r.Cases, r.Conclusion = nil, nil, rule.NothingToDo(result.Reason{Kind: result.ReasonUnwatched})
		}, "head changes k.cc"},
		"base with flags":       {func(r *result.Result) { r.Base.Flags = []string{"-O0"} }, "additional flags"},
		"edited after checkout": {func(r *result.Result) { r.Base.Dirty = true }, "changed after the checkout"},
		"another configuration": {func(r *result.Result) { r.Config.SHA256 = strings.Repeat("0", 64) }, "another configuration than base's"},
		"accepted by itself":    {func(r *result.Result) { r.Accepted = []result.Accepted{{Case: "k/n=2", By: "ada"}} }, "accepts nothing"},
		"new, so not compared":  {func(r *result.Result) { r.Cases[1].Verdict = result.New }, "its kernel has a base"},
		"all new, so not timed": {func(r *result.Result) { allNew(r) }, "base has k.cc"},
		"one new, so not timed": {func(r *result.Result) {
			c := &r.Cases[1]
			*c = result.Case{Name: c.Name, Kernel: "k", Params: c.Params, Verdict: result.New}
			r.Kernels[0].Base, r.Conclusion = nil, result.Conclusion{Verdict: result.RunPassed}
		}, "base has k.cc"},
		"parity without a case": {func(r *result.Result) {
			r.Kernels[0].Parity.Run, r.Kernels[0].Parity.Planned = 0, 0
		}, "not one case of it was checked"},
		"a part":                  {func(r *result.Result) { r.Shard = &result.Shard{Index: 1, Of: 3, Seed: "1"} }, "1 are expected"},
		"merged already":          {func(r *result.Result) { r.Merged = []result.Part{{Verdict: result.RunPassed}} }, "merged of several"},
		"of versus":               {func(r *result.Result) { r.Kind, r.Cases = result.KindVersus, nil }, "it is a result of versus"},
		"a case twice":            {func(r *result.Result) { r.Cases = append(r.Cases, r.Cases[0]) }, "this name too"},
		"a huge number":           {func(r *result.Result) { r.Cases[0].Processes[0].ValueNS = 1e300 }, "larger than any number of a run"},
		"a negative time":         {func(r *result.Result) { r.Cases[0].Processes[0].ValueNS = -1 }, "took -1 ns"},
		"control characters":      {func(r *result.Result) { r.Cases[0].Name = "k\x1b[2J" }, "control character"},
		"a command in a name":     {func(r *result.Result) { r.Machine.Model = "x\n::set-output name=verdict::pass" }, "control character"},
		"ten thousand and a case": {func(r *result.Result) { r.Cases = make([]result.Case, 10_001) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			res := r.measured(0.1)
			c.forge(res)
			r.keep("perfgate", res)
			if name == "the slow case left out" || name == "the kernel renamed" || name == "parity off" || name == "parity without a case" {
				// These have to be consistent in themselves, or something else is found first.
				r.conclude(res)
			}
			r.nothingGained(c.says)
		})
	}
}

// conclude makes a forged result consistent and keeps it in the place of the one before.
func (r *rig) conclude(res *result.Result) {
	if !slices.ContainsFunc(res.Cases, func(c result.Case) bool { return c.Verdict == result.Regression }) {
		res.Conclusion = rule.Conclude(res.Cases, res.Kernels, res.Policy)
	}
	r.keep("perfgate", res)
}

// Forged files: whatever is in the place of a result ends the same way, at once and in little memory.
func TestForgedArtifacts(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	outcome := file{outcomeFile, []byte(`{"schema":"perfgate/outcome/v1","exit":0}`)}
	for name, c := range map[string]struct {
		keep func(*rig)
		says string
	}{
		"no zip":         {func(r *rig) { r.github.AddArtifact(r.run, "perfgate", []byte("pass")) }, "not a zip"},
		"empty zip":      {func(r *rig) { r.keepFiles("perfgate") }, "left no result"},
		"another's pull": {func(r *rig) { r.keepFiles("perfgate", file{"pr_number", []byte("2")}) }, "no measuring job writes"},
		"zip slip":       {func(r *rig) { r.keepFiles("perfgate", file{"../../.bashrc", []byte("x")}) }, "leads out of the folder"},
		"absolute":       {func(r *rig) { r.keepFiles("perfgate", file{"/etc/passwd", []byte("x")}) }, "leads out of the folder"},
		"backslashes":    {func(r *rig) { r.keepFiles("perfgate", file{`profiles\..\..\x`, []byte("x")}) }, "leads out of the folder"},
		"below profiles": {func(r *rig) { r.keepFiles("perfgate", file{"profiles/../../x", []byte("x")}) }, "leads out of the folder"},
		"twice":          {func(r *rig) { r.keepFiles("perfgate", outcome, outcome) }, "twice"},
		"deep JSON":      {func(r *rig) { r.keepText(strings.Repeat("[", 1<<20)) }, "this is no result of perfgate"},
		"deep in a field": {func(r *rig) {
			r.keepText(`{"schema":"` + result.Schema + `","x":` + strings.Repeat(`{"x":`, 10_000))
		}, "deeper than 16"},
		"NaN":         {func(r *rig) { r.edited(`"theta":`, `"theta":NaN,"x":`) }, "cannot be used"},
		"infinity":    {func(r *rig) { r.edited(`"theta":`, `"theta":1e999,"x":`) }, "cannot be used"},
		"unknown key": {func(r *rig) { r.edited(`"schema":`, `"trusted":true,"schema":`) }, "cannot be used"},
		"key twice":   {func(r *rig) { r.edited(`"seed":"42"`, `"seed":"42","seed":"43"`) }, "is given twice"},
		"many cases": {func(r *rig) { // TestForgedArtifactsAreReadInPart has more, and counts what they take
			r.edited(`"cases":[`, `"cases":[`+strings.Repeat(`{"name":"k","kernel":"k","verdict":"same"},`, 50_000))
		}, "cannot be used"},
		"later schema":            {func(r *rig) { r.edited("perfgate/result/v3", "perfgate/result/v4") }, "measure again"},
		"not UTF-8":               {func(r *rig) { r.keepText("\xff\xfe\x00") }, "cannot be used"},
		"an outcome that is none": {func(r *rig) { r.keepFiles("perfgate", file{outcomeFile, []byte(`{"schema":"x","exit":0}`)}) }, "cannot be used"},
		"a link":                  {func(r *rig) { r.keepRaw(link) }, "not a plain file"},
		"10 GB, said":             {func(r *rig) { r.keepRaw(bomb(tenGB)) }, "bytes, at most 64 MiB are read"},
		"10 GB, not said":         {func(r *rig) { r.keepRaw(bomb(1000)) }, "cannot be used"},
		"many files":              {func(r *rig) { r.keepRaw(manyFiles) }, "over 1000 files"},
		"a zip in a zip":          {func(r *rig) { r.keepRaw(nested) }, "cannot be used"},
		"too large zipped":        {func(r *rig) { r.github.AddArtifact(r.run, "perfgate", make([]byte, maxArtifact+1)) }, "over 134217728 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			c.keep(r)
			r.nothingGained(c.says)
			r.nothingWritten()
		})
	}
}

// nothingWritten sees that nothing of the artifact has become a file.
func (r *rig) nothingWritten() {
	r.Helper()
	r.must(filepath.WalkDir(r.env["RUNNER_TEMP"], func(path string, d fs.DirEntry, err error) error {
		if name := filepath.Base(path); err == nil && !d.IsDir() && name != "event.json" && name != "output" && name != "summary" {
			r.Errorf("%s was written", path)
		}
		return err
	}))
}

func (r *rig) keepText(text string) { r.keepFiles("perfgate", file{resultFile, []byte(text)}) }

// edited keeps a result that passes with a piece of its text replaced.
func (r *rig) edited(old, with string) {
	text, err := json.Marshal(r.measured(0))
	r.must(err)
	if !bytes.Contains(text, []byte(old)) {
		r.Fatalf("the result has no %s", old)
	}
	r.keepText(strings.Replace(string(text), old, with, 1))
}

func (r *rig) keepRaw(write func(w *zip.Writer) error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	r.must(write(w))
	r.must(w.Close())
	if b.Len() > 32<<20 {
		r.Fatalf("the attack itself has %d bytes", b.Len())
	}
	r.github.AddArtifact(r.run, "perfgate", b.Bytes())
}

func link(w *zip.Writer) error {
	h := &zip.FileHeader{Name: resultFile}
	h.SetMode(fs.ModeSymlink | 0o777)
	out, err := w.CreateHeader(h)
	if err == nil {
		_, err = io.WriteString(out, "/etc/passwd")
	}
	return err
}

const tenGB = 10 << 30

// packedZeros is n MiB of zeros, deflated without going through them one by one: the same block again and again.
func packedZeros(n int) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	zeros := make([]byte, 1<<20)
	block := func() []byte {
		start := b.Len()
		if _, err = w.Write(zeros); err == nil {
			err = w.Flush()
		}
		return bytes.Clone(b.Bytes()[start:])
	}
	block()
	again := block()
	out := append(bytes.Clone(b.Bytes()), bytes.Repeat(again, n-2)...)
	return append(out, 1, 0, 0, 0xff, 0xff), err // an empty last block
}

// bomb is 10 GB of zeros that say to be as many bytes as given.
func bomb(says uint64) func(*zip.Writer) error {
	return func(w *zip.Writer) error {
		packed, err := packedZeros(tenGB >> 20)
		if err != nil {
			return err
		}
		out, err := w.CreateRaw(&zip.FileHeader{Name: resultFile, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(nil), CompressedSize64: uint64(len(packed)), UncompressedSize64: says})
		if err == nil {
			_, err = out.Write(packed)
		}
		return err
	}
}

func manyFiles(w *zip.Writer) error {
	for i := range 100_000 {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("profiles/%d", i)}); err != nil {
			return err
		}
	}
	return nil
}

func nested(w *zip.Writer) error {
	out, err := w.Create(resultFile)
	if err != nil {
		return err
	}
	inner := zip.NewWriter(out)
	if _, err := inner.Create(resultFile); err != nil {
		return err
	}
	return inner.Close()
}

// The bomb is one: what the test stands for is as large as it says.
func TestBombIsOne(t *testing.T) {
	t.Parallel()
	packed, err := packedZeros(64)
	must(t, err)
	n, err := io.Copy(io.Discard, flate.NewReader(bytes.NewReader(packed)))
	if n != 64<<20 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if binary.Size(packed) > 1<<20 {
		t.Errorf("%d bytes packed", len(packed))
	}
}

// reading counts what is read of it.
type reading struct {
	io.Reader
	n int64
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	return n, err
}

// What is large, deep or endless is given up on early: counted are the bytes that are unpacked, and all that is allocated.
// What tests beside it allocate would count, so it is alone.
func TestForgedArtifactsAreReadInPart(t *testing.T) {
	kernelstest.Live(t)
	const mib = 1 << 20
	cases := `{"schema":"` + result.Schema + `","cases":[` + strings.Repeat(`{"name":"k","kernel":"k","verdict":"same"},`, 200_000)
	text := func(content string) func(w *zip.Writer) error {
		return func(w *zip.Writer) error {
			out, err := w.Create(resultFile)
			if err == nil {
				_, err = io.WriteString(out, content)
			}
			return err
		}
	}
	for name, c := range map[string]struct {
		write     func(w *zip.Writer) error
		unpacked  int64 // at most
		allocated uint64
	}{
		"10 GB, said":     {bomb(tenGB), 0, 8 * mib},
		"10 GB, not said": {bomb(1000), result.MaxArtifact + 1, 512 * mib},
		"200000 cases":    {text(cases), int64(len(cases)), 256 * mib},
		"deep JSON":       {text(strings.Repeat("[", 32*mib)), 32 * mib, 256 * mib},
		"NaN":             {text(`{"schema":"` + result.Schema + `","policy":{"tolerance":NaN,` + strings.Repeat(" ", 32*mib)), 33 * mib, 256 * mib},
		"many files":      {manyFiles, 0, 8 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := zip.NewWriter(&b)
			must(t, errors.Join(c.write(w), w.Close()))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := part{name: "perfgate"}.readZip(b.Bytes())
			runtime.ReadMemStats(&after)
			if spent := after.TotalAlloc - before.TotalAlloc; err == nil || spent > c.allocated {
				t.Errorf("%d MiB were allocated, at most %d are needed; err = %.200v", spent/mib, c.allocated/mib, err)
			}
			files, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
			must(t, err)
			var in reading
			_, err = readEntry(files.File[0], func(r io.Reader) (*result.Result, error) {
				in.Reader = r
				return result.Read(&in)
			})
			if name != "many files" && err == nil || in.n > c.unpacked {
				t.Errorf("%d bytes were unpacked, at most %d are allowed; err = %.200v", in.n, c.unpacked, err)
			}
		})
	}
}
