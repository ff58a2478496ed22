package page_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/kernels/kernelstest"
)

// browser is a Chromium without a window, asked in the DevTools protocol over a pipe: https://chromedevtools.github.io/devtools-protocol/.
type browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	id      int
	session string
	events  []event // since the last visit
}

type event struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	theirs, in := pipe(t)
	out, ours := pipe(t)
	// The sandbox of Chromium does not start for root, as in containers. What it shows here is ours.
	cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{theirs, ours}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	ours.Close()
	b := &browser{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		b.ask("Browser.close", nil, nil)
		_ = cmd.Wait() // it was told to end
	})
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.ask("Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var attached struct{ SessionID string }
			b.ask("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
			b.session = attached.SessionID
		}
	}
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		b.ask(domain+".enable", nil, nil)
	}
	return b
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// ask calls a method and waits for its answer; what happens meanwhile is kept.
func (b *browser) ask(method string, params, answer any) {
	b.t.Helper()
	b.id++
	message := map[string]any{"id": b.id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	if err == nil {
		_, err = b.in.Write(append(data, 0))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	for {
		e := b.next()
		if e.ID != b.id {
			continue
		}
		if e.Error != nil {
			b.t.Fatalf("%s: %s", method, e.Error)
		}
		if answer != nil {
			if err := json.Unmarshal(e.Result, answer); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

func (b *browser) next() event {
	b.t.Helper()
	data, err := b.out.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("Chromium has ended: %v", err)
	}
	var e event
	if err := json.Unmarshal(data[:len(data)-1], &e); err != nil {
		b.t.Fatal(err)
	}
	if e.Method != "" {
		b.events = append(b.events, e)
	}
	return e
}

// visit opens a file, waits until it is loaded and says what went wrong on the way: whatever the console has, a dialogue, and any request but
// the one for the file.
func (b *browser) visit(path string) (wrong []string) {
	b.t.Helper()
	b.events = nil
	b.ask("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for loaded := false; !loaded; {
		for _, e := range b.events {
			loaded = loaded || e.Method == "Page.loadEventFired"
		}
		if !loaded {
			b.next()
		}
	}
	var url string
	b.evaluate("location.href", &url) // what the load set off is here by now
	requests := 0
	for _, e := range b.events {
		switch e.Method {
		case "Network.requestWillBeSent":
			requests++
		case "Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Page.javascriptDialogOpening":
			wrong = append(wrong, e.Method+": "+string(e.Params))
		}
	}
	if requests != 1 || url != "file://"+path {
		wrong = append(wrong, fmt.Sprintf("%d requests, at %s", requests, url))
	}
	return wrong
}

// evaluate runs an expression in the page.
func (b *browser) evaluate(expression string, answer any) {
	b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.ask("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%.80s: %s", expression, got.ExceptionDetails)
	}
	if err := json.Unmarshal(got.Result.Value, answer); err != nil {
		b.t.Fatalf("%.80s: %v in %s", expression, err, got.Result.Value)
	}
}

func (b *browser) show(scheme string, width int) {
	b.t.Helper()
	b.ask("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.ask("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// bodyText is all text of the page but what the script adds.
const bodyText = `[...document.querySelectorAll("header, main section")].map((e) => {
	const c = e.cloneNode(true);
	for (const x of c.querySelectorAll(".filter, .chips, .command button, .tools")) x.remove();
	return c.textContent.replace(/\s+/g, " ");
}).join("\n")`

// TestInBrowser opens pages in Chromium, light and dark, wide and on a phone, with and without scripts.
func TestInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	kernelstest.Tool(t, "chromium")
	axe, err := os.ReadFile(os.Getenv("PERFGATE_AXE"))
	if err != nil {
		kernelstest.Missing(t, "PERFGATE_AXE does not name axe.min.js of the package axe-core")
	}
	b := newBrowser(t)
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.html")
	if err := os.WriteFile(broken, []byte(`<!DOCTYPE html><html><body><img src="none.png"><button></button><script>console.error("x")</script>`), 0o666); err != nil {
		t.Fatal(err)
	}
	if wrong, bad := b.visit(broken), b.violations(string(axe), ""); len(wrong) < 2 || len(bad) < 2 {
		t.Fatalf("a broken page is not seen to be: %q, %q", wrong, bad)
	}
	for name, write := range map[string]func(io.Writer) error{
		"evidence": pageNamed(t, "evidence"), "parity": pageNamed(t, "parity"), "hostile": hostilePage(t),
		"versus": func(w io.Writer) error { return page.WriteVersus(w, aVersus(), page.Options{}) }, "watch": func(w io.Writer) error { return page.WriteWatch(w, aWatch(), page.Options{}) },
		"compare": func(w io.Writer) error {
			return page.WriteBeside(w, []page.Named{{Name: "monday", Result: read(t, "evidence")}, {Name: "tuesday", Result: read(t, "slower")}})
		},
	} {
		path := filepath.Join(dir, name+".html")
		writePage(t, path, write)
		b.show("light", 1280)
		for _, wrong := range b.visit(path) {
			t.Errorf("%s: %s", name, wrong)
		}
		if name == "evidence" {
			var enlarged bool
			if b.evaluate(enlarges, &enlarged); !enlarged {
				t.Error("a figure does not enlarge")
			}
		}
		var withScript, without string
		b.evaluate(bodyText, &withScript)
		for _, scheme := range []struct{ name, options string }{{"light", ""}, {"dark", `runOnly: ["color-contrast"]`}} { // a scheme is of colours
			b.show(scheme.name, 1280)
			for _, v := range b.violations(string(axe), scheme.options) {
				t.Errorf("%s, %s: %s", name, scheme.name, v)
			}
		}
		b.show("light", 390)
		var over int
		b.evaluate("document.documentElement.scrollWidth - innerWidth", &over)
		if over > 0 {
			t.Errorf("%s is %d pixels wider than a phone", name, over)
		}
		b.ask("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
		for _, wrong := range b.visit(path) {
			t.Errorf("%s without scripts: %s", name, wrong)
		}
		b.evaluate(bodyText, &without)
		b.ask("Emulation.setScriptExecutionDisabled", map[string]any{"value": false}, nil)
		if without != withScript || len(without) < 300 {
			t.Errorf("%s: without scripts the page says\n%s\nwith them\n%s", name, without, withScript)
		}
		if name == "hostile" && !strings.Contains(without, payloads[0]) {
			t.Error("a hostile name is not shown")
		}
	}
}

func pageNamed(t *testing.T, name string) func(io.Writer) error {
	r := read(t, name)
	return func(w io.Writer) error { return page.Write(w, r, report.New(r), page.Options{}) }
}

func hostilePage(t *testing.T) func(io.Writer) error {
	r := read(t, "evidence")
	poison(reflect.ValueOf(r).Elem(), "", payloads[0])
	return func(w io.Writer) error { return page.Write(w, r, report.New(r), page.Options{}) }
}

func writePage(t *testing.T, path string, write func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// enlarges is what a figure does when its button is pressed: it fills the window, grows, and goes back.
const enlarges = `(() => {
  const figure = document.querySelector("figure"), [farther, closer, open] = figure.querySelectorAll(".tools button"), svg = figure.querySelector("svg");
  open.click();
  const large = figure.getBoundingClientRect().width >= innerWidth - 20, before = svg.getBoundingClientRect().width;
  closer.click();
  const grown = svg.getBoundingClientRect().width > 1.3 * before;
  figure.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
  return large && grown && !figure.classList.contains("large") && closer.hidden;
})()`

// violations are what axe-core, run with options of its own, calls serious or critical, with everything that folds open.
func (b *browser) violations(axe, options string) []string {
	b.t.Helper()
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	var done bool
	b.evaluate("for (const d of document.querySelectorAll('details')) d.open = true; true", &done)
	b.evaluate(axe+";axe.run(document, {resultTypes: [\"violations\"], "+options+"}).then((r) => r.violations)", &found)
	var out []string
	for _, v := range found {
		if v.Impact == "serious" || v.Impact == "critical" {
			out = append(out, fmt.Sprintf("%s: %s, %d times: %.300s\n%s", v.ID, v.Help, len(v.Nodes), v.Nodes[0].HTML, v.Nodes[0].FailureSummary))
		}
	}
	return out
}
