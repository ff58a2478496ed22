package action

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/result"
)

// The address of a run says where a token may go, and nothing else is taken for one.
func TestRunAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]actionsRun{
		"https://github.com/o/r/actions/runs/12":                 {api: "https://api.github.com", owner: "o", repo: "r", id: 12, token: [2]string{"GH_TOKEN", "GITHUB_TOKEN"}},
		"https://github.com/o/r.x/actions/runs/12/job/3?pr=1#a":  {api: "https://api.github.com", owner: "o", repo: "r.x", id: 12, token: [2]string{"GH_TOKEN", "GITHUB_TOKEN"}},
		"https://a.ghe.com/o/r/actions/runs/12/attempts/2":       {api: "https://api.a.ghe.com", owner: "o", repo: "r", id: 12, token: [2]string{"GH_TOKEN", "GITHUB_TOKEN"}},
		"https://git.example:8443/o/r/actions/runs/12#artifacts": {api: "https://git.example:8443/api/v3", owner: "o", repo: "r", id: 12, token: [2]string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}},
		"https://notghe.com/o/r/actions/runs/12":                 {api: "https://notghe.com/api/v3", owner: "o", repo: "r", id: 12, token: [2]string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}},
	} {
		if got, err := parseRunURL(address); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
	for _, address := range []string{
		"https://github.com/o/r/actions/runs/", "https://github.com/o/r/pull/12", "https://github.com/o/r/actions/runs/12x", "https://me:word@github.com/o/r/actions/runs/12",
		"https://github.com/o/../actions/runs/12/../x", "https://", "https://github.com/actions/runs/12",
	} {
		if got, err := parseRunURL(address); !result.IsUsage(err) {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
}

// standIn sends every request to a server of this test.
type standIn struct{ to *url.URL }

func (s standIn) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = s.to.Scheme, s.to.Host
	return http.DefaultTransport.RoundTrip(r)
}

// A result comes from the run's artifact, with a token alone; what is not there is said with what there is.
func TestSavedRun(t *testing.T) {
	t.Parallel()
	saved, err := os.ReadFile(filepath.Join(root, "testdata/report/slower/result.json"))
	must(t, err)
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	if w, err := z.Create("result.json"); err != nil {
		t.Fatal(err)
	} else if _, err := w.Write(saved); err != nil {
		t.Fatal(err)
	}
	must(t, z.Close())
	server, err := fakegithub.New(fakegithub.Options{Owner: "octo", Repo: "consumer", ID: 1})
	must(t, err)
	server.AddToken("reads", fakegithub.Identity{Login: "mona", Grants: map[string]string{"actions": "read"}})
	run := server.AddRun()
	server.AddArtifact(run, "perfgate", zipped.Bytes())
	web := httptest.NewServer(server)
	defer web.Close()
	at, _ := url.Parse(web.URL)
	env := map[string]string{}
	runs := SavedRuns{Env: func(name string) string { return env[name] }, Transport: standIn{at}}
	page := fmt.Sprintf("https://github.com/octo/consumer/actions/runs/%d", run)
	if _, err := runs.Result(t.Context(), page, "perfgate"); !result.IsUsage(err) || !strings.Contains(err.Error(), "GH_TOKEN") {
		t.Errorf("without a token: %v", err)
	}
	env["GITHUB_TOKEN"] = "reads"
	if r, err := runs.Result(t.Context(), page, "perfgate"); err != nil || len(r.Cases) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := runs.Result(t.Context(), page, "perfgate-h100"); !result.IsUsage(err) || !strings.Contains(err.Error(), "perfgate") {
		t.Errorf("another artifact: %v", err)
	}
}
