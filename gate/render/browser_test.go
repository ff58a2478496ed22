package render

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	must(t, cmd.Start())
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
	must(t, err)
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
	must(b.t, err)
	for {
		e := b.next()
		if e.ID != b.id {
			continue
		}
		if e.Error != nil {
			b.t.Fatalf("%s: %s", method, e.Error)
		}
		if answer != nil {
			must(b.t, json.Unmarshal(e.Result, answer))
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
	must(b.t, json.Unmarshal(data[:len(data)-1], &e))
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
const bodyText = `[...document.querySelectorAll("header, main")].map((e) => {
	const c = e.cloneNode(true);
	for (const x of c.querySelectorAll(".tools, .chips, .command button")) x.remove();
	return c.textContent.replace(/\s+/g, " ");
}).join("\n")`

// accessible lists what keeps people from reading the page.
//
//go:embed testdata/accessible.js
var accessible string

// broken is a page with a fault of each kind that the test looks for.
const broken = `<!DOCTYPE html><html><body><img src="none.png"><h3>x</h3><button></button><table><tr><td>1</table><p style="color: #ccc">pale</p><script>console.error("x")</script>`

// TestInBrowser opens pages in Chromium, light and dark, wide and on a phone, with and without scripts.
func TestInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	kernelstest.Tool(t, "chromium")
	b := newBrowser(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "broken.html")
	must(t, os.WriteFile(path, []byte(broken), 0o666))
	if wrong, bad := b.visit(path), b.violations(); len(wrong) < 2 || len(bad) < 6 {
		t.Fatalf("a broken page is not seen to be: %q, %q", wrong, bad)
	}
	pages := map[string]report.Document{"hostile": poisoned(t, "evidence", payloads[0], schemaWords)}
	for name, d := range documents(t) {
		if others[name] != nil || slices.Contains([]string{"evidence", "parity", "many", "gpu"}, name) {
			pages[name] = d
		}
	}
	for name, d := range pages {
		path := filepath.Join(dir, name+".html")
		must(t, os.WriteFile(path, []byte(htmlOf(t, d)), 0o666))
		b.examine(name, path)
	}
}

// examine opens a page in all ways in which people do.
func (b *browser) examine(name, path string) {
	b.t.Helper()
	b.show("light", 1280)
	for _, wrong := range b.visit(path) {
		b.t.Errorf("%s: %s", name, wrong)
	}
	var withScript, without string
	b.evaluate(bodyText, &withScript)
	var works bool
	if b.evaluate(enlarges, &works); !works {
		b.t.Errorf("%s: a figure does not enlarge", name)
	}
	if b.evaluate(filters, &works); name == "many" && !works {
		b.t.Errorf("%s: the filter does not filter, or a title does not sort", name)
	}
	for _, scheme := range []string{"light", "dark"} {
		b.show(scheme, 1280)
		for _, v := range b.violations() {
			b.t.Errorf("%s, %s: %s", name, scheme, v)
		}
	}
	b.show("light", 390)
	var over int
	b.evaluate("document.documentElement.scrollWidth - innerWidth", &over)
	if over > 0 {
		b.t.Errorf("%s is %d pixels wider than a phone", name, over)
	}
	b.ask("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	for _, wrong := range b.visit(path) {
		b.t.Errorf("%s without scripts: %s", name, wrong)
	}
	b.evaluate(bodyText, &without)
	b.ask("Emulation.setScriptExecutionDisabled", map[string]any{"value": false}, nil)
	if without != withScript || len(without) < 300 {
		b.t.Errorf("%s: without scripts the page says\n%s\nwith them\n%s", name, without, withScript)
	}
	if name == "hostile" && !strings.Contains(without, payloads[0]) {
		b.t.Error("a hostile name is not shown")
	}
}

// enlarges is what a figure does when its button is pressed: it fills the window, and goes back.
const enlarges = `(() => {
  const figure = document.querySelector("figure");
  if (!figure) return true;
  for (let fold = figure.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  figure.querySelector(".tools button").click();
  const large = figure.getBoundingClientRect().width >= innerWidth - 20;
  figure.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
  return large && !figure.classList.contains("large");
})()`

// filters is what a long table does: it shows the rows that are asked for, and sorts.
const filters = `(() => {
  const search = document.querySelector(".tools input[type=search]");
  if (!search) return false;
  const table = search.closest(".tools").nextElementSibling, shown = () => [...table.querySelectorAll("tbody tr")].filter((r) => !r.hidden);
  const all = shown().length, first = shown()[0].dataset.name;
  const type = (words) => { search.value = words; search.dispatchEvent(new Event("input", {bubbles: true})); };
  type(first);
  const one = shown().length;
  type("");
  const sort = table.querySelector("th.n button");
  sort.click();
  sort.click();
  const sorted = shown()[0].dataset.name !== first;
  sort.click();
  return one < all && one > 0 && shown().length === all && sorted;
})()`

// violations are what is wrong with a page for those who read it in another way, and what axe-core calls serious or critical where
// PERFGATE_AXE names axe.min.js of that package.
func (b *browser) violations() []string {
	b.t.Helper()
	var out []string
	b.evaluate(accessible, &out)
	axe, err := os.ReadFile(os.Getenv("PERFGATE_AXE"))
	if err != nil {
		return out
	}
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	b.evaluate(string(axe)+`;axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations)`, &found)
	for _, v := range found {
		if v.Impact == "serious" || v.Impact == "critical" {
			out = append(out, fmt.Sprintf("%s: %s, %d times: %.300s\n%s", v.ID, v.Help, len(v.Nodes), v.Nodes[0].HTML, v.Nodes[0].FailureSummary))
		}
	}
	return out
}
