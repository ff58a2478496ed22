package event

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxPayload is the most that GitHub sends as a payload.
const maxPayload = 25 << 20

// Read reads the event of the running workflow. env is os.Getenv or a test's stand-in; it is asked for
// GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, GITHUB_SERVER_URL and
// GITHUB_API_URL. Payloads over 25 MiB, GitHub's own limit, are refused. An error names the variable or the field
// that is missing or malformed.
func Read(env func(string) string) (Event, error) {
	e, err := fromEnv(env)
	if err != nil {
		return Event{}, err
	}
	path := env("GITHUB_EVENT_PATH")
	if path == "" {
		return Event{}, missing("GITHUB_EVENT_PATH")
	}
	f, err := os.Open(path)
	if err != nil {
		return Event{}, fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	defer f.Close()
	p, err := parse(f)
	if err != nil {
		return Event{}, fmt.Errorf("payload of %s: %w", e.Name, err)
	}
	if err := e.take(p); err != nil {
		return Event{}, fmt.Errorf("payload of %s: %w", e.Name, err)
	}
	return e, nil
}

func missing(variable string) error {
	return fmt.Errorf("%s is not set: this runs in a job of GitHub Actions, which sets it", variable)
}

// fromEnv reads what the payload does not have.
func fromEnv(env func(string) string) (Event, error) {
	e := Event{Name: env("GITHUB_EVENT_NAME"), Inputs: map[string]string{}}
	if e.Name == "" {
		return e, missing("GITHUB_EVENT_NAME")
	}
	if !slices.Contains(Names, e.Name) {
		return e, fmt.Errorf("GITHUB_EVENT_NAME: %.60q is no event that the gate acts on; use one of %s", e.Name, strings.Join(Names, ", "))
	}
	owner, name, _ := strings.Cut(env("GITHUB_REPOSITORY"), "/")
	if !ownerName.MatchString(owner) || !repoName.MatchString(name) {
		return e, fmt.Errorf("GITHUB_REPOSITORY: %.100q is not owner/name", env("GITHUB_REPOSITORY"))
	}
	e.Repo.Owner, e.Repo.Name = owner, name
	run, err := number(env, "GITHUB_RUN_ID", "")
	if err != nil {
		return e, err
	}
	attempt, err := number(env, "GITHUB_RUN_ATTEMPT", "1")
	if err != nil {
		return e, err
	}
	e.RunID, e.RunAttempt = run, int(attempt)
	if e.ServerURL, err = address(env, "GITHUB_SERVER_URL", "https://github.com"); err != nil {
		return e, err
	}
	e.APIURL, err = address(env, "GITHUB_API_URL", "https://api.github.com")
	return e, err
}

func number(env func(string) string, variable, otherwise string) (int64, error) {
	text := env(variable)
	if text == "" {
		text = otherwise
	}
	if text == "" {
		return 0, missing(variable)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s: %.40q is no positive number", variable, text)
	}
	return n, nil
}

func address(env func(string) string, variable, otherwise string) (string, error) {
	text := strings.TrimRight(env(variable), "/")
	if text == "" {
		return otherwise, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%s: %.200q is no http(s) address", variable, text)
	}
	return text, nil
}

func parse(r io.Reader) (*payload, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPayload+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxPayload {
		return nil, fmt.Errorf("over %d MiB, more than GitHub sends", maxPayload>>20)
	}
	var p payload
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("not the JSON that GitHub writes: %w", err)
	}
	return &p, nil
}
