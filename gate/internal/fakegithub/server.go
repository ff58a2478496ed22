package fakegithub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say what GitHub there is. Owner and Repo are needed.
type Options struct {
	Owner         string
	Repo          string
	ID            int64  // of the repository; 0 is 1
	DefaultBranch string // "" is main
	Private       bool
	GitDir        string // a bare repository; "" if no git data is asked for
}

// Server is a GitHub with one repository, and forks of it that only their pushes are known of. It is an http.Handler;
// start it with net/http or httptest. All methods may be called while it serves.
type Server struct {
	mu       sync.Mutex
	api      *description
	o        Options
	git      bare
	now      time.Time
	stopped  bool
	lastID   int64
	tokens   map[string]Identity
	levels   map[string]string // login → admin, write, read or none
	pulls    map[int]*pull
	issues   []*Issue
	comments []*Comment
	checks   []*Check
	statuses []*Status
	pushes   []push
	runs     []*run
	faults   []*Fault
	log      []Call
	called   map[string]bool // operations
	problems []string
}

// Identity is who a token belongs to and what it may do.
type Identity struct {
	Login  string            // such as github-actions[bot]
	Grants map[string]string // contents, pull-requests, checks, statuses, actions, …: read or write
}

// Call is a request that was served.
type Call struct {
	Method string
	Path   string // with the query
	Status int
	Login  string // "" without a token
}

// String is METHOD PATH STATUS.
func (c Call) String() string { return fmt.Sprintf("%s %s %d", c.Method, c.Path, c.Status) }

// New returns a GitHub without pull requests, comments or tokens. Requests without a token are answered if they read and
// the repository is public. The clock stands at the beginning of 2026 and moves on by a minute with every write.
func New(o Options) (*Server, error) {
	api, err := load()
	if err != nil {
		return nil, fmt.Errorf("GitHub's description: %w", err)
	}
	if o.Owner == "" || o.Repo == "" {
		return nil, fmt.Errorf("fake: an owner and a repository are needed")
	}
	o.ID, o.DefaultBranch = cmp.Or(o.ID, 1), cmp.Or(o.DefaultBranch, "main")
	return &Server{api: api, o: o, git: bare{o.GitDir}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), lastID: 1000,
		tokens: map[string]Identity{}, levels: map[string]string{}, pulls: map[int]*pull{}, called: map[string]bool{}}, nil
}

// AddToken makes a token known.
func (s *Server) AddToken(token string, who Identity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	who.Grants = maps.Clone(who.Grants)
	s.tokens[token] = who
}

// Log returns the calls so far.
func (s *Server) Log() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.log...)
}

// Problems returns what of the requests and answers so far is not as GitHub describes it. It should be empty.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.problems...)
}

// Uncalled returns the operations that were not called yet, by GitHub's names such as issues/create-comment.
func (s *Server) Uncalled() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.api.operations), func(name string) bool { return s.called[name] })
}

// answer is what a request gets.
type answer struct {
	status int
	header map[string]string
	body   any
	text   []byte // of the body
}

func message(status int, text string) *answer {
	body := map[string]any{"message": text, "documentation_url": "https://docs.github.com/rest", "status": fmt.Sprint(status)}
	return &answer{status: status, body: body}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.gitRequest(r) {
		s.serveGit(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if zip, ok := s.file(r); ok {
		w.Write(zip)
		return
	}
	r.URL.Path = strings.TrimPrefix(r.URL.Path, "/api/v3") // where a GitHub Enterprise Server has it
	login, a := s.respond(r)
	s.log = append(s.log, Call{Method: r.Method, Path: r.URL.RequestURI(), Status: a.status, Login: login})
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.text == nil && a.body != nil {
		a.text, _ = json.Marshal(a.body)
	}
	w.WriteHeader(a.status)
	w.Write(a.text)
}

// respond finds the answer to a request.
func (s *Server) respond(r *http.Request) (login string, a *answer) {
	path := r.Method + " " + r.URL.Path
	c, err := s.api.check(r)
	if err != nil {
		s.problems = append(s.problems, fmt.Sprintf("request %s: %v", path, err))
		if c == nil {
			return "", message(http.StatusNotFound, "Not Found")
		}
		return "", message(http.StatusUnprocessableEntity, "Invalid request.\n\n"+err.Error())
	}
	s.called[c.operation()] = true
	who, refusal := s.admit(c)
	fault := s.fault(r)
	if a := fault.before(); a != nil {
		return who.Login, a
	}
	if a = refusal; a == nil {
		a = s.handle(c, who)
	}
	if err := s.api.complete(c, a); err != nil {
		s.problems = append(s.problems, fmt.Sprintf("answer to %s: %v", path, err))
	}
	if fault != nil && fault.Kind == BadGatewayAfter {
		return who.Login, message(http.StatusBadGateway, "Server Error")
	}
	return who.Login, a
}

// StopClock makes all that happens from here on happen in the same second.
func (s *Server) StopClock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
}

// tick moves the clock on.
func (s *Server) tick() time.Time {
	if !s.stopped {
		s.now = s.now.Add(time.Minute)
	}
	return s.now
}

func (s *Server) id() int64 {
	s.lastID++
	return s.lastID
}

func (s *Server) fullName() string { return s.o.Owner + "/" + s.o.Repo }
