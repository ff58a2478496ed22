package action

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// Forged results: each is refused, and the status, the comment and the summary say why.
func TestForgedResults(t *testing.T) {
	for name, c := range map[string]struct {
		forge func(*result.Result)
		says  string
	}{
		"another commit": {func(r *result.Result) { r.Head.Revision = strings.Repeat("e", 40) }, "it is about head"},
		"another base":   {func(r *result.Result) { r.Base.Revision = strings.Repeat("e", 40) }, "it is about base"},
		"conclusion":     {func(r *result.Result) { r.Conclusion = gate.Conclusion{Verdict: gate.RunPassed} }, "it says pass (exit 0)"},
		"verdict of a case": {func(r *result.Result) {
			r.Cases[1].Verdict, r.Conclusion = gate.Same, gate.Conclusion{Verdict: gate.RunPassed}
		}, "its samples come to regression"},
		"everything but the samples": {func(r *result.Result) {
			c := &r.Cases[1]
			c.Verdict, c.Compared, c.Looks, r.Conclusion = gate.Same, r.Cases[0].Compared, r.Cases[0].Looks, gate.Conclusion{Verdict: gate.RunPassed}
		}, "its samples come to regression"},
		"tolerance":   {func(r *result.Result) { r.Policy.Tolerance = 0.9 }, "the configuration that counts"},
		"confidence":  {func(r *result.Result) { r.Policy.Confidence = 0.5 }, "the configuration that counts"},
		"open passes": {func(r *result.Result) { r.Policy.OnInconclusive = gate.OnInconclusivePass }, "the configuration that counts"},
		"more cases":  {func(r *result.Result) { r.Policy.Cases = 1000 }, "the configuration that counts"},
		"the slow case left out": {func(r *result.Result) {
			r.Cases = append(r.Cases[:1], r.Cases[2:]...)
			r.Conclusion = gate.Conclusion{Verdict: gate.RunPassed}
		}, "what was planned is not in the result: k/n=2"},
		"the kernel renamed": {func(r *result.Result) {
			r.Kernels[0].Name = "other"
			for i := range r.Cases {
				r.Cases[i].Kernel = "other"
			}
			r.Cases, r.Conclusion = r.Cases[:1], gate.Conclusion{Verdict: gate.RunPassed}
		}, "what was planned is not in the result: kernel k"},
		"parity off": {func(r *result.Result) {
			r.Kernels[0].Parity.Status = result.ParityOff
		}, "parity is off for kernel k"},
		"nothing to do": {func(r *result.Result) {
			r.Kernels, r.Cases, r.Conclusion = nil, nil, gate.NothingToDo("head changes no watched file")
		}, "head changes k.cc"},
		"base with flags":         {func(r *result.Result) { r.Base.Flags = []string{"-O0"} }, "flags of its own"},
		"edited after checkout":   {func(r *result.Result) { r.Base.Dirty = true }, "changed after the checkout"},
		"another configuration":   {func(r *result.Result) { r.Config.SHA256 = strings.Repeat("0", 64) }, "another configuration than base's"},
		"accepted by itself":      {func(r *result.Result) { r.Accepted = []result.Accepted{{Case: "k/n=2", By: "ada"}} }, "accepts nothing"},
		"new, so not compared":    {func(r *result.Result) { r.Cases[1].Verdict = gate.New }, "its kernel has a base"},
		"a part":                  {func(r *result.Result) { r.Shard = &result.Shard{Index: 1, Of: 3, Seed: "1"} }, "1 are expected"},
		"merged already":          {func(r *result.Result) { r.Merged = []result.Part{{}} }, "merged of several"},
		"a case twice":            {func(r *result.Result) { r.Cases = append(r.Cases, r.Cases[0]) }, "this name too"},
		"a huge number":           {func(r *result.Result) { r.Cases[0].Processes[0].ValueNS = 1e300 }, "larger than any number of a run"},
		"a negative time":         {func(r *result.Result) { r.Cases[0].Processes[0].ValueNS = -1 }, "took -1 ns"},
		"control characters":      {func(r *result.Result) { r.Cases[0].Name = "k\x1b[2J" }, "control character"},
		"a command in a name":     {func(r *result.Result) { r.Machine.Model = "x\n::set-output name=verdict::pass" }, "control character"},
		"ten thousand and a case": {func(r *result.Result) { r.Cases = make([]result.Case, 10_001) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			res := r.measured(0.1, 0, 0)
			c.forge(res)
			r.keep("perfgate", res)
			if name == "the slow case left out" || name == "the kernel renamed" || name == "parity off" {
				// These have to be consistent in themselves, or something else is found first.
				r.conclude(res)
			}
			r.nothingGained(c.says)
		})
	}
}

// conclude makes a forged result consistent and keeps it in the place of the one before.
func (r *forkRun) conclude(res *result.Result) {
	var cases []gate.CaseOutcome
	for _, c := range res.Cases {
		if c.Verdict == gate.Regression {
			continue
		}
		cases = append(cases, gate.CaseOutcome{Name: c.Name, Verdict: c.Verdict, Comparison: c.Compared, LooksDone: len(c.Looks)})
	}
	if len(cases) == len(res.Cases) {
		res.Conclusion = gate.Conclude(cases, []gate.KernelOutcome{{Name: res.Kernels[0].Name, Parity: gate.ParityState(res.Kernels[0].Parity.Status)}}, res.Policy)
	}
	r.keep("perfgate", res)
}

// Forged files: whatever is in the place of a result ends the same way, at once and in little memory.
func TestForgedArtifacts(t *testing.T) {
	outcome := file{outcomeFile, []byte(`{"schema":"perfgate/outcome/v1","exit":0}`)}
	for name, c := range map[string]struct {
		keep func(*forkRun)
		says string
	}{
		"no zip":          {func(r *forkRun) { r.github.AddArtifact(r.run, "perfgate", []byte("pass")) }, "no zip"},
		"empty zip":       {func(r *forkRun) { r.keepFiles("perfgate") }, "left no result"},
		"another's pull":  {func(r *forkRun) { r.keepFiles("perfgate", file{"pr_number", []byte("2")}) }, "no measuring job writes"},
		"zip slip":        {func(r *forkRun) { r.keepFiles("perfgate", file{"../../.bashrc", []byte("x")}) }, "leads out of the folder"},
		"absolute":        {func(r *forkRun) { r.keepFiles("perfgate", file{"/etc/passwd", []byte("x")}) }, "leads out of the folder"},
		"backslashes":     {func(r *forkRun) { r.keepFiles("perfgate", file{`profiles\..\..\x`, []byte("x")}) }, "leads out of the folder"},
		"below profiles":  {func(r *forkRun) { r.keepFiles("perfgate", file{"profiles/../../x", []byte("x")}) }, "leads out of the folder"},
		"twice":           {func(r *forkRun) { r.keepFiles("perfgate", outcome, outcome) }, "twice"},
		"deep JSON":       {func(r *forkRun) { r.keepText(strings.Repeat("[", 1<<20)) }, "deeper than 16"},
		"deep in a field": {func(r *forkRun) { r.keepText(`{"schema":"perfgate/result/v1","x":` + strings.Repeat(`{"x":`, 10_000)) }, "deeper than 16"},
		"NaN":             {func(r *forkRun) { r.edited(`"theta":`, `"theta":NaN,"x":`) }, "cannot be used"},
		"infinity":        {func(r *forkRun) { r.edited(`"theta":`, `"theta":1e999,"x":`) }, "cannot be used"},
		"unknown key":     {func(r *forkRun) { r.edited(`"schema":`, `"trusted":true,"schema":`) }, "cannot be used"},
		"key twice":       {func(r *forkRun) { r.edited(`"seed":"42"`, `"seed":"42","seed":"43"`) }, "is given twice"},
		"a million cases": {func(r *forkRun) {
			r.edited(`"cases":[`, `"cases":[`+strings.Repeat(`{"name":"k","kernel":"k","verdict":"same"},`, 1_000_000))
		}, "cannot be used"},
		"later schema":            {func(r *forkRun) { r.edited("perfgate/result/v1", "perfgate/result/v2") }, "newer schema"},
		"not UTF-8":               {func(r *forkRun) { r.keepText("\xff\xfe\x00") }, "cannot be used"},
		"an outcome that is none": {func(r *forkRun) { r.keepFiles("perfgate", file{outcomeFile, []byte(`{"schema":"x","exit":0}`)}) }, "cannot be used"},
		"a link":                  {func(r *forkRun) { r.keepRaw(link) }, "no plain file"},
		"10 GB, said":             {func(r *forkRun) { r.keepRaw(saidToBeLarge) }, "bytes, at most 64 MiB are read"},
		"10 GB, not said":         {func(r *forkRun) { r.keepRaw(bomb) }, "cannot be used"},
		"many files":              {func(r *forkRun) { r.keepRaw(manyFiles) }, "over 1000 files"},
		"a zip in a zip":          {func(r *forkRun) { r.keepRaw(nested) }, "cannot be used"},
		"too large zipped":        {func(r *forkRun) { r.github.AddArtifact(r.run, "perfgate", make([]byte, maxArtifact+1)) }, "over 134217728 bytes"},
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
func (r *forkRun) nothingWritten() {
	r.Helper()
	r.must(filepath.WalkDir(r.env["RUNNER_TEMP"], func(path string, d fs.DirEntry, err error) error {
		if name := filepath.Base(path); err == nil && !d.IsDir() && name != "event.json" && name != "output" && name != "summary" {
			r.Errorf("%s was written", path)
		}
		return err
	}))
}

func (r *forkRun) keepText(text string) { r.keepFiles("perfgate", file{resultFile, []byte(text)}) }

// edited keeps a result that passes with a piece of its text replaced.
func (r *forkRun) edited(old, with string) {
	text, err := json.Marshal(r.measured(0, 0, 0))
	r.must(err)
	if !bytes.Contains(text, []byte(old)) {
		r.Fatalf("the result has no %s", old)
	}
	r.keepText(strings.Replace(string(text), old, with, 1))
}

func (r *forkRun) keepRaw(write func(w *zip.Writer) error) {
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

func raw(w *zip.Writer, packed []byte, says uint64) error {
	out, err := w.CreateRaw(&zip.FileHeader{Name: resultFile, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(nil), CompressedSize64: uint64(len(packed)), UncompressedSize64: says})
	if err == nil {
		_, err = out.Write(packed)
	}
	return err
}

func saidToBeLarge(w *zip.Writer) error {
	packed, err := packedZeros(tenGB >> 20)
	if err != nil {
		return err
	}
	return raw(w, packed, tenGB)
}

func bomb(w *zip.Writer) error {
	packed, err := packedZeros(tenGB >> 20)
	if err != nil {
		return err
	}
	return raw(w, packed, 1000)
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
	packed, err := packedZeros(64)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, flate.NewReader(bytes.NewReader(packed)))
	if n != 64<<20 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if binary.Size(packed) > 1<<20 {
		t.Errorf("%d bytes packed", len(packed))
	}
}

const hostile = `](javascript:alert(1)) <img src=x onerror=1> @everyone <!-- perfgate comment perfgate --> | a | b | ` + "```" + ` ::add-mask::pass ::set-output name=verdict::pass %0A::error:: ${{ github.token }} ` + "\u202e"

// Every text of a result is hostile in its turn. Either the result is refused, or the text is shown as text: no image, link,
// mention, marker or command comes of it, and no pass.
func TestHostileTexts(t *testing.T) {
	r := newForkRun(t)
	r.env["INPUT_COMMENT"] = CommentAlways
	tried := 0
	texts(reflect.ValueOf(r.measured(0.1, 0, 0)).Elem(), "", func(string, reflect.Value) { tried++ })
	if tried < 60 {
		t.Fatalf("the result has only %d texts", tried)
	}
	for i := range tried {
		res := r.measured(0.1, 0, 0)
		at, field := 0, ""
		texts(reflect.ValueOf(res).Elem(), "", func(name string, v reflect.Value) {
			if at == i {
				field = name
				v.SetString(hostile)
			}
			at++
		})
		if strings.Contains(field, "cases[0].processes[") && !strings.Contains(field, "processes[0]") || strings.Contains(field, "cases[1]") || strings.Contains(field, "cases[2]") {
			continue // the same fields again
		}
		r.log.Reset()
		r.keep("perfgate", res)
		r.report()
		if got := r.status(r.head); strings.Contains(got, "success") || !strings.Contains(got, "perfgate/verdict ") {
			t.Errorf("%s: status %q", field, got)
		}
		r.harmless(field)
	}
}

// texts goes through the strings below v.
func texts(v reflect.Value, at string, visit func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		visit(at, v)
	case reflect.Pointer:
		if !v.IsNil() {
			texts(v.Elem(), at, visit)
		}
	case reflect.Slice:
		if v.Len() == 0 && v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			texts(v.Index(i), fmt.Sprintf("%s[%d]", at, i), visit)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			texts(v.Field(i), strings.TrimPrefix(at+"."+strings.ToLower(v.Type().Field(i).Name), "."), visit)
		}
	}
}

// harmless looks at everything that was written for what acts.
func (r *forkRun) harmless(field string) {
	r.Helper()
	summary, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
	r.must(os.WriteFile(r.env["GITHUB_STEP_SUMMARY"], nil, 0o644))
	body := r.comment()
	for where, text := range map[string]string{"comment": body, "summary": string(summary)} {
		outside := withoutCode(text)
		for _, bad := range []string{"<img", "](javascript", "@everyone", "\u202e"} {
			if strings.Contains(outside, bad) {
				r.Errorf("%s: the %s has %q:\n%s", field, where, bad, text)
			}
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "::") {
				r.Errorf("%s: the %s has a command: %s", field, where, line)
			}
		}
	}
	if n := strings.Count(withoutCode(body), "<!-- perfgate"); n != 1 || !strings.HasSuffix(body, "<!-- perfgate comment perfgate -->\n") {
		r.Errorf("%s: %d markers:\n%s", field, n, body)
	}
	for line := range strings.Lines(r.log.String()) {
		if strings.HasPrefix(line, "::") && !strings.HasPrefix(line, "::add-mask::ghs_x") && !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::notice ") {
			r.Errorf("%s: a command in the log: %s", field, line)
		}
	}
	outputs, _ := os.ReadFile(r.env["GITHUB_OUTPUT"])
	r.must(os.WriteFile(r.env["GITHUB_OUTPUT"], nil, 0o644))
	if strings.Contains(string(outputs), "\npass\n") {
		r.Errorf("%s: outputs say pass:\n%s", field, outputs)
	}
}

// withoutCode takes code spans out: nothing in them acts. Spans are opened and closed by equally many backticks.
func withoutCode(text string) string {
	var out strings.Builder
	for text != "" {
		start := strings.IndexByte(text, '`')
		if start < 0 {
			break
		}
		out.WriteString(text[:start])
		fence := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		rest := text[start+fence:]
		end := closing(rest, fence)
		if end < 0 { // opens nothing
			out.WriteString(text[start : start+fence])
			text = rest
			continue
		}
		text = rest[end+fence:]
	}
	return out.String() + text
}

func closing(text string, fence int) int {
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			return -1
		}
		at += next
		n := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if n == fence {
			return at
		}
		at += n
	}
	return -1
}
