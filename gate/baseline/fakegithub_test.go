package baseline

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// fakeGitHub is the Git data API over a real bare repository. Refs move as GitHub moves them: 422 unless it is a
// fast-forward; and one move in sixteen is refused with 409, as a busy repository does.
type fakeGitHub struct {
	repo string
}

type reply struct {
	status int
	body   any
}

func (f *fakeGitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	json.NewDecoder(r.Body).Decode(&body)
	path := strings.TrimPrefix(r.URL.Path, "/repos/o/r/git/")
	what, rest, _ := strings.Cut(path, "/")
	a := reply{404, map[string]any{"message": "Not Found"}}
	switch r.Method + " " + what {
	case "GET ref":
		a = f.ref("refs/" + rest)
	case "GET trees":
		a = f.listTree(rest, r.URL.Query().Get("recursive") == "1")
	case "GET blobs":
		if out, err := f.git(nil, "cat-file", "blob", rest); err == nil {
			a = reply{200, map[string]any{"encoding": "base64", "content": base64.StdEncoding.EncodeToString([]byte(out))}}
		}
	case "POST blobs":
		data, _ := base64.StdEncoding.DecodeString(body["content"].(string))
		a = made(f.git(data, "hash-object", "-w", "--stdin"))
	case "POST trees":
		a = f.makeTree(body)
	case "POST commits":
		a = f.makeCommit(body)
	case "POST refs":
		a = f.move(body["ref"].(string), body["sha"].(string), strings.Repeat("0", 40))
	case "PATCH refs":
		a = f.fastForward("refs/"+rest, body)
	}
	w.WriteHeader(a.status)
	json.NewEncoder(w).Encode(a.body)
}

func (f *fakeGitHub) git(input []byte, args ...string) (string, error) {
	out, err := runGit(context.Background(), f.repo, identity, input, args...)
	return strings.TrimSuffix(out, "\n"), err
}

func made(sha string, err error) reply {
	if err != nil {
		return reply{422, map[string]any{"message": err.Error()}}
	}
	return reply{201, map[string]any{"sha": sha}}
}

func (f *fakeGitHub) ref(name string) reply {
	sha, err := f.git(nil, "rev-parse", "--verify", "--quiet", name)
	if err != nil {
		return reply{404, map[string]any{"message": "Not Found"}}
	}
	return reply{200, map[string]any{"ref": name, "object": map[string]any{"sha": sha}}}
}

func (f *fakeGitHub) listTree(sha string, recursive bool) reply {
	args := []string{"ls-tree"}
	if recursive {
		args = append(args, "-r", "-t")
	}
	out, err := f.git(nil, append(args, sha)...)
	if err != nil {
		return reply{404, map[string]any{"message": "Not Found"}}
	}
	entries := []map[string]any{}
	for line := range strings.Lines(out) {
		meta, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		words := strings.Fields(meta)
		entries = append(entries, map[string]any{"mode": words[0], "type": words[1], "sha": words[2], "path": name})
	}
	return reply{200, map[string]any{"sha": sha, "tree": entries, "truncated": false}}
}

// makeTree applies entries to base_tree through git's own code, an index of its own each time.
func (f *fakeGitHub) makeTree(body map[string]any) reply {
	changes := ""
	for _, e := range body["tree"].([]any) {
		m := e.(map[string]any)
		if m["sha"] == nil {
			changes += fmt.Sprintf("0 %040d\t%s\n", 0, m["path"])
			continue
		}
		changes += fmt.Sprintf("%s %s\t%s\n", m["mode"], m["sha"], m["path"])
	}
	index := []string{"GIT_INDEX_FILE=" + f.repo + fmt.Sprintf("/index-%p", &changes)}
	if tip, ok := body["base_tree"].(string); ok {
		if _, err := runGit(context.Background(), f.repo, index, nil, "read-tree", tip); err != nil {
			return made("", err)
		}
	}
	if _, err := runGit(context.Background(), f.repo, index, []byte(changes), "update-index", "--index-info"); err != nil {
		return made("", err)
	}
	out, err := runGit(context.Background(), f.repo, index, nil, "write-tree")
	return made(strings.TrimSpace(out), err)
}

func (f *fakeGitHub) makeCommit(body map[string]any) reply {
	args := []string{"commit-tree", body["tree"].(string), "-m", body["message"].(string)}
	for _, p := range body["parents"].([]any) {
		args = append(args, "-p", p.(string))
	}
	return made(f.git(nil, args...))
}

func (f *fakeGitHub) fastForward(ref string, body map[string]any) reply {
	if body["force"] != false {
		return reply{500, map[string]any{"message": "the client forces"}}
	}
	now, err := f.git(nil, "rev-parse", "--verify", ref)
	if err != nil {
		return reply{422, map[string]any{"message": "Reference does not exist"}}
	}
	sha := body["sha"].(string)
	if sha[0] == '0' { // one in sixteen
		return reply{409, map[string]any{"message": "Git Repository is busy"}}
	}
	if _, err := f.git(nil, "merge-base", "--is-ancestor", now, sha); err != nil {
		return reply{422, map[string]any{"message": "Update is not a fast forward"}}
	}
	return f.move(ref, sha, now)
}

func (f *fakeGitHub) move(ref, to, from string) reply {
	if _, err := f.git(nil, "update-ref", ref, to, from); err != nil {
		return reply{422, map[string]any{"message": "Reference already exists or update is not a fast forward"}}
	}
	return reply{200, map[string]any{"object": map[string]any{"sha": to}}}
}
