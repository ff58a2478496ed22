package fakegithub

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// gitRequest says whether git asks, which it does at the address of the repository's page.
func (s *Server) gitRequest(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/"+s.fullName()+"/")
}

// backend is git's own server.
var backend = sync.OnceValues(func() (string, error) {
	dir, err := exec.Command("git", "--exec-path").Output()
	return filepath.Join(strings.TrimSpace(string(dir)), "git-http-backend"), err
})

// serveGit lets git fetch and push, as GitHub does: any commit, without the files that a filter leaves out, by a token that is a password.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request) {
	_, token, _ := r.BasicAuth()
	s.mu.Lock()
	who, known := s.tokens[token]
	may := known && who.Grants["contents"] != "" || token == "" && !s.o.Private
	call := Call{Method: r.Method, Path: r.URL.RequestURI(), Status: http.StatusOK, Login: who.Login}
	mayPush := who.Grants["contents"] == "write" || !strings.Contains(call.Path, "git-receive-pack")
	switch {
	case !may:
		call.Status = http.StatusUnauthorized
	case !mayPush:
		call.Status = http.StatusForbidden
	}
	if !may || r.Method == http.MethodGet { // with which a fetch begins
		s.log = append(s.log, call)
	}
	s.mu.Unlock()
	program, err := backend()
	switch {
	case !may:
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Repository not found.", http.StatusUnauthorized)
		return
	case !mayPush:
		http.Error(w, "Write access to repository not granted.", http.StatusForbidden)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	env := []string{
		"GIT_PROJECT_ROOT=" + s.git.dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=3",
		"GIT_CONFIG_KEY_0=uploadpack.allowFilter", "GIT_CONFIG_VALUE_0=true", "GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_1=true",
		"GIT_CONFIG_KEY_2=http.receivepack", "GIT_CONFIG_VALUE_2=true", "GIT_PROTOCOL=" + r.Header.Get("Git-Protocol"),
	}
	s.repeat(w, r, &cgi.Handler{Path: program, Root: "/" + s.fullName(), Dir: s.git.dir, Env: env})
}

// served are answers to what was fetched, by the request and what refs say: objects never change. Servers share it as they do known.
var served sync.Map

// repeat answers a fetch as it was answered before, by git's own server otherwise: each answer takes two processes, and a fetch five answers.
func (s *Server) repeat(w http.ResponseWriter, r *http.Request, git http.Handler) {
	body, err := io.ReadAll(r.Body)
	refs, refsErr := s.git.refs()
	if err != nil || refsErr != nil || strings.Contains(r.URL.RequestURI(), "git-receive-pack") {
		r.Body = io.NopCloser(bytes.NewReader(body))
		git.ServeHTTP(w, r)
		return
	}
	key := fmt.Sprintf("%s %s\n%v\n%q\n%s", r.Method, r.URL.RequestURI(), r.Header.Values("Git-Protocol"), body, refs)
	answer, ok := served.Load(key)
	if !ok {
		r.Body = io.NopCloser(bytes.NewReader(body))
		made := httptest.NewRecorder()
		git.ServeHTTP(made, r)
		if answer = made; made.Code == http.StatusOK && !bytes.Contains(made.Body.Bytes(), []byte("ERR ")) {
			served.Store(key, made)
		}
	}
	made := answer.(*httptest.ResponseRecorder)
	maps.Copy(w.Header(), made.Header())
	w.WriteHeader(made.Code)
	_, _ = w.Write(made.Body.Bytes()) // who asked may be gone
}
