package fakegithub

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed openapi.json.gz
var zipped []byte

// description is GitHub's API as GitHub describes it.
type description struct {
	router     routers.Router
	operations []string // GitHub's names, sorted
}

var load = sync.OnceValues(func() (*description, error) {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	// OpenAPI 3.0 has no way to say that a parameter holds slashes; names of branches do.
	text = bytes.ReplaceAll(text, []byte(`/compare/{basehead}"`), []byte(`/compare/{basehead:.+}"`))
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	d := &description{router: router}
	for _, path := range doc.Paths.Map() {
		for _, operation := range path.Operations() {
			d.operations = append(d.operations, operation.OperationID)
		}
	}
	slices.Sort(d.operations)
	return d, err
})

// call is a request that the description knows.
type call struct {
	*http.Request
	input  *openapi3filter.RequestValidationInput
	params map[string]string // of the path
	body   []byte
}

// operation is GitHub's name of what is called, such as issues/create-comment.
func (c *call) operation() string { return c.input.Route.Operation.OperationID }

// decode reads the body, which was validated.
func (c *call) decode(v any) { _ = json.Unmarshal(c.body, v) }

// check finds the operation of a request and holds the request to it.
func (d *description) check(r *http.Request) (*call, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := d.router.FindRoute(r)
	if err != nil {
		return nil, fmt.Errorf("%s %s is no operation that this fake serves: %w", r.Method, r.URL.Path, err)
	}
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	c := &call{Request: r, input: input, params: params, body: body}
	if len(body) > 0 && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json") // GitHub reads a body without a type as JSON
	}
	if len(body) > 0 && !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return c, fmt.Errorf("a body of type %q", r.Header.Get("Content-Type"))
	}
	return c, openapi3filter.ValidateRequest(r.Context(), input)
}

// complete makes an answer whole: what the description requires and the fake does not model is filled in. Then it holds
// the answer to the description.
func (d *description) complete(c *call, a *answer) error {
	declared := c.input.Route.Operation.Responses.Status(a.status)
	if declared == nil {
		if a.status >= 400 {
			return nil // errors are declared for few operations
		}
		return fmt.Errorf("status %d is not declared", a.status)
	}
	text, err := json.Marshal(a.body)
	if err != nil {
		return err
	}
	if media := declared.Value.Content.Get("application/json"); media != nil {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return err
		}
		if text, err = json.Marshal(fill(media.Schema.Value, value)); err != nil {
			return err
		}
	}
	a.text = text
	if a.body == nil {
		a.text = nil
	}
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	for name, value := range a.header {
		header.Set(name, value)
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: c.input, Status: a.status, Header: header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true}}
	out.SetBodyBytes(a.text)
	return openapi3filter.ValidateResponse(context.Background(), out)
}
