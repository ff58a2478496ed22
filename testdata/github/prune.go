//go:build ignore

// Prune cuts GitHub's OpenAPI description and the official webhook examples down to what perfgate uses, so that they can
// be kept in the repository. Both come from npm, under the MIT licence:
//
//	npm pack @octokit/openapi@23.0.2            → generated/api.github.com.json
//	npm pack @octokit/webhooks-examples@7.6.1   → api.github.com/index.json
//	go run testdata/github/prune.go OPENAPI.json WEBHOOKS.json
//
// run in the root of the repository, it writes gate/internal/fakegithub/openapi.json.gz and testdata/github/webhooks/*.json.
// Nothing is changed but by leaving out: other paths and methods, examples, descriptions, extensions, and schemas that
// nothing left refers to.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// operations are those that the fake serves.
var operations = map[string][]string{
	"/repos/{owner}/{repo}/activity":                                         {"get"},
	"/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}": {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts":                  {"get"},
	"/repos/{owner}/{repo}/check-runs":                                       {"post"},
	"/repos/{owner}/{repo}/check-runs/{check_run_id}":                        {"patch"},
	"/repos/{owner}/{repo}/collaborators/{username}/permission":              {"get"},
	"/repos/{owner}/{repo}/commits/{ref}/check-runs":                         {"get"},
	"/repos/{owner}/{repo}/commits/{ref}/statuses":                           {"get"},
	"/repos/{owner}/{repo}/compare/{basehead}":                               {"get"},
	"/repos/{owner}/{repo}/issues":                                           {"get", "post"},
	"/repos/{owner}/{repo}/issues/{issue_number}":                            {"patch"},
	"/repos/{owner}/{repo}/issues/comments/{comment_id}":                     {"patch"},
	"/repos/{owner}/{repo}/issues/{issue_number}/comments":                   {"get", "post"},
	"/repos/{owner}/{repo}/issues/{issue_number}/events":                     {"get"},
	"/repos/{owner}/{repo}/pulls":                                            {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}":                              {"get"},
	"/repos/{owner}/{repo}/statuses/{sha}":                                   {"post"},
}

// events are those that the gate acts on and that have a webhook.
var events = []string{"merge_group", "pull_request", "push", "workflow_dispatch", "workflow_run"}

// actions are those of them that the gate acts on, and one that it does not.
var actions = []string{"checks_requested", "closed", "completed", "labeled", "opened", "reopened", "requested", "synchronize", "unlabeled"}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: go run testdata/github/prune.go OPENAPI.json WEBHOOKS.json")
	}
	if err := openapi(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	if err := webhooks(os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

type object = map[string]any

func openapi(path string) error {
	var all object
	if err := read(path, &all); err != nil {
		return err
	}
	paths := object{}
	for name, methods := range operations {
		whole, ok := all["paths"].(object)[name].(object)
		if !ok {
			return fmt.Errorf("%s has no path %s", path, name)
		}
		kept := object{}
		for _, m := range methods {
			if kept[m] = whole[m]; kept[m] == nil {
				return fmt.Errorf("%s has no %s %s", path, m, name)
			}
		}
		paths[name] = kept
	}
	out := object{"openapi": all["openapi"], "info": object{
		"title": "GitHub REST API, pruned", "version": all["info"].(object)["version"], "license": all["info"].(object)["license"],
	}, "paths": lean(paths, "")}
	out["components"] = reachable(out["paths"], all["components"].(object))
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	w.Write(text)
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Printf("%d paths, %d bytes, %d zipped\n", len(paths), len(text), zipped.Len())
	return os.WriteFile("gate/internal/fakegithub/openapi.json.gz", zipped.Bytes(), 0o666)
}

// lean is v without what validates nothing. under is the name that v has: below properties, every name is data.
func lean(v any, under string) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for key, value := range v {
			prose := slices.Contains([]string{"examples", "example", "description", "summary", "externalDocs", "tags"}, key) || strings.HasPrefix(key, "x-")
			if under != "properties" && prose {
				continue
			}
			out[key] = lean(value, key)
		}
		if under != "properties" && isResponse(v) {
			out["description"] = "" // a response must have one
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = lean(v[i], "")
		}
		return out
	}
	return v
}

// isResponse reports whether v is a response: all have a description, and no type as schemas have or place as parameters.
func isResponse(v object) bool {
	_, described := v["description"]
	return described && v["type"] == nil && v["in"] == nil && v["properties"] == nil && v["schema"] == nil && v["operationId"] == nil
}

// reachable returns the components that v refers to, and those that they refer to.
func reachable(v any, components object) object {
	out := object{}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case object:
			if ref, ok := v["$ref"].(string); ok {
				parts := strings.Split(strings.TrimPrefix(ref, "#/components/"), "/")
				kind, name := parts[0], parts[1]
				if out[kind] == nil {
					out[kind] = object{}
				}
				if out[kind].(object)[name] == nil {
					kept := lean(components[kind].(object)[name], kind)
					out[kind].(object)[name] = kept
					visit(kept)
				}
			}
			for _, value := range v {
				visit(value)
			}
		case []any:
			for _, value := range v {
				visit(value)
			}
		}
	}
	visit(v)
	return out
}

func webhooks(path string) error {
	var all []struct {
		Name     string            `json:"name"`
		Examples []json.RawMessage `json:"examples"`
	}
	if err := read(path, &all); err != nil {
		return err
	}
	for _, event := range all {
		if !slices.Contains(events, event.Name) {
			continue
		}
		for i, example := range event.Examples {
			var head struct {
				Action string `json:"action"`
			}
			if err := json.Unmarshal(example, &head); err != nil {
				return err
			}
			if head.Action != "" && !slices.Contains(actions, head.Action) {
				continue
			}
			name := strings.Trim(event.Name+"."+head.Action, ".")
			file := filepath.Join("testdata/github/webhooks", fmt.Sprintf("%s.%d.json", name, i))
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				return err
			}
			var small bytes.Buffer
			if err := json.Compact(&small, example); err != nil {
				return err
			}
			if err := os.WriteFile(file, append(small.Bytes(), '\n'), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

func read(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
