package baseline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	callLimit = 30 * time.Second
	maxAnswer = 64 << 20
	maxTries  = 5
	longWait  = 2 * time.Minute // a limit that lasts longer is an error: the job would only be paid for waiting
)

// call is one request below /repos/OWNER/NAME/git/. It waits where GitHub asks for it (rate limits), and asks again for what
// it may read twice. Other answers that are no success are a *statusError.
func (g *GitHub) call(ctx context.Context, method, path string, body, answer any) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		reply, text, err := g.send(ctx, method, path, data)
		if err != nil {
			return fmt.Errorf("git data of %s: %w", g.Repository, err)
		}
		if reply.StatusCode < 300 {
			if answer == nil {
				return nil
			}
			return json.Unmarshal(text, answer)
		}
		failed := &statusError{method, path, reply.StatusCode, apiMessage(text)}
		pause, again := pauseFor(reply, failed.message, time.Now())
		if !again || try == maxTries {
			return failed
		}
		if pause > longWait {
			return fmt.Errorf("%w; GitHub asks to wait for %s", failed, pause.Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), failed)
		case <-time.After(pause):
		}
	}
}

// pauseFor says whether a request may be sent again as it is, and after how long: by Retry-After, by the time at which the
// limit is lifted, else after a minute where a limit is the reason (docs.github.com, best practices for using the REST API);
// soon where a read met a broken gateway.
func pauseFor(reply *http.Response, message string, now time.Time) (pause time.Duration, again bool) {
	status := reply.StatusCode
	if status >= 500 && reply.Request.Method == http.MethodGet {
		return time.Second, true
	}
	if status != http.StatusForbidden && status != http.StatusTooManyRequests {
		return 0, false
	}
	if seconds, err := strconv.Atoi(reply.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if reset, err := strconv.ParseInt(reply.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && reply.Header.Get("X-RateLimit-Remaining") == "0" {
		return max(time.Second, time.Unix(reset, 0).Sub(now)+time.Second), true
	}
	limited := status == http.StatusTooManyRequests || strings.Contains(message, "rate limit")
	return time.Minute, limited
}

// send sends a request once and reads the answer.
func (g *GitHub) send(ctx context.Context, method, path string, data []byte) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var in io.Reader
	if data != nil {
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(g.API, "/")+"/repos/"+g.Repository+"/git/"+path, in)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if g.Token != "" {
		req.Header.Set("Authorization", "Bearer "+g.Token)
	}
	client := g.Client
	if client == nil {
		client = http.DefaultClient
	}
	reply, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxAnswer))
	return reply, text, err
}

func apiMessage(text []byte) string {
	var m struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(text, &m) == nil && m.Message != "" {
		return m.Message
	}
	return fmt.Sprintf("%.100q", text)
}
