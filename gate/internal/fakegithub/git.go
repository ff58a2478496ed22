package fakegithub

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
)

// bare is a bare repository, used through git itself.
type bare struct{ dir string }

// run runs git and returns what it prints, without the line end.
func (b bare) run(input []byte, env []string, args ...string) (string, error) {
	if b.dir == "" {
		return "", errors.New("this fake has no git repository: set Options.GitDir")
	}
	cmd := exec.Command("git", append([]string{"--git-dir", b.dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=GitHub", "GIT_AUTHOR_EMAIL=noreply@github.com", "GIT_COMMITTER_NAME=GitHub", "GIT_COMMITTER_EMAIL=noreply@github.com")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// known is what git said of objects, which never changes. Servers share it: most repositories of tests are copies of each other.
var known sync.Map

// read asks what depends on nothing but objects, once in a test run where they have their full names and lie in this repository.
func (b bare) read(objects []string, args ...string) (string, error) {
	key := strings.Join(args, "\x00")
	if slices.ContainsFunc(objects, func(name string) bool { return !b.holds(name) }) {
		return b.run(nil, nil, args...)
	}
	if said, ok := known.Load(key); ok {
		return said.(string), nil
	}
	said, err := b.run(nil, nil, args...)
	if err == nil {
		known.Store(key, said)
	}
	return said, err
}

// holds says whether an object of that full name lies in a file of its own, and its history is not cut off.
func (b bare) holds(name string) bool {
	if len(name) != len(noCommit) || strings.Trim(name, "0123456789abcdef") != "" {
		return false
	}
	_, lacks := os.Stat(path.Join(b.dir, "objects", name[:2], name[2:]))
	_, whole := os.Stat(path.Join(b.dir, "shallow"))
	return lacks == nil && whole != nil
}

func (s *Server) apiURL(format string, args ...any) string {
	return "https://api.github.example/repos/" + s.fullName() + fmt.Sprintf(format, args...)
}

func (s *Server) ref(name, sha string) map[string]any {
	return map[string]any{"ref": name, "node_id": "x", "url": s.apiURL("/git/%s", name),
		"object": map[string]any{"type": "commit", "sha": sha, "url": s.apiURL("/git/commits/%s", sha)}}
}

func (s *Server) getRef(c *call, _ Identity) *answer {
	name := "refs/" + c.text("ref")
	sha, err := s.git.run(nil, nil, "rev-parse", "--verify", "--quiet", name)
	if err != nil {
		return notFound()
	}
	return ok(s.ref(name, sha))
}

func (s *Server) createRef(c *call, _ Identity) *answer {
	var in struct{ Ref, SHA string }
	c.decode(&in)
	if _, err := s.git.run(nil, nil, "cat-file", "-e", in.SHA+"^{commit}"); err != nil {
		return message(422, "Object does not exist")
	}
	if _, err := s.git.run(nil, nil, "update-ref", in.Ref, in.SHA, noCommit); err != nil {
		return message(422, "Reference already exists")
	}
	s.tick()
	return created(s.ref(in.Ref, in.SHA))
}

func (s *Server) updateRef(c *call, _ Identity) *answer {
	var in struct {
		SHA   string
		Force bool
	}
	c.decode(&in)
	name := "refs/" + c.text("ref")
	now, err := s.git.run(nil, nil, "rev-parse", "--verify", "--quiet", name)
	if err != nil {
		return message(422, "Reference does not exist")
	}
	if _, err := s.git.run(nil, nil, "merge-base", "--is-ancestor", now, in.SHA); err != nil && !in.Force {
		return message(422, "Update is not a fast forward")
	}
	if _, err := s.git.run(nil, nil, "update-ref", name, in.SHA, now); err != nil {
		return message(422, "Object does not exist")
	}
	s.tick()
	return ok(s.ref(name, in.SHA))
}

func (s *Server) deleteRef(c *call, _ Identity) *answer {
	if _, err := s.git.run(nil, nil, "update-ref", "-d", "refs/"+c.text("ref")); err != nil {
		return message(422, "Reference does not exist")
	}
	s.tick()
	return &answer{status: 204}
}

func (s *Server) getTree(c *call, _ Identity) *answer {
	args := []string{"ls-tree", "-z", "--long"}
	if c.URL.Query().Has("recursive") {
		args = append(args, "-r", "-t")
	}
	name := c.text("tree_sha")
	sha, err := s.git.read([]string{name}, "rev-parse", "--verify", "--quiet", name+"^{tree}")
	if err != nil {
		return notFound()
	}
	out, err := s.git.read([]string{sha}, append(args, sha)...)
	if err != nil {
		return notFound()
	}
	return ok(map[string]any{"sha": sha, "url": s.apiURL("/git/trees/%s", sha), "truncated": false, "tree": s.entries(out)})
}

// entries reads what ls-tree -z --long prints.
func (s *Server) entries(listing string) []map[string]any {
	list := []map[string]any{}
	for line := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		meta, name, found := strings.Cut(line, "\t")
		words := strings.Fields(meta)
		if !found || len(words) != 4 {
			continue
		}
		one := map[string]any{"mode": words[0], "type": words[1], "sha": words[2], "path": name, "url": s.apiURL("/git/%ss/%s", words[1], words[2])}
		if words[1] == "blob" {
			var size int
			fmt.Sscan(words[3], &size)
			one["size"] = size
		}
		list = append(list, one)
	}
	return list
}

func (s *Server) createTree(c *call, _ Identity) *answer {
	var in struct {
		BaseTree string `json:"base_tree"`
		Tree     []struct {
			Path, Mode, Type string
			SHA, Content     *string
		}
	}
	c.decode(&in)
	changes := ""
	for _, e := range in.Tree {
		sha, mode := noCommit, "0"
		switch {
		case e.SHA != nil:
			sha, mode = *e.SHA, e.Mode
		case e.Content != nil:
			made, err := s.git.run([]byte(*e.Content), nil, "hash-object", "-w", "--stdin")
			if err != nil {
				return message(422, err.Error())
			}
			sha, mode = made, e.Mode
		}
		changes += fmt.Sprintf("%s %s\t%s\x00", mode, sha, e.Path)
	}
	sha, err := s.writeTree(in.BaseTree, changes)
	if err != nil {
		return message(422, "GitRPC::BadObjectState: "+err.Error())
	}
	listing, _ := s.git.read([]string{sha}, "ls-tree", "-z", "--long", sha)
	return created(map[string]any{"sha": sha, "url": s.apiURL("/git/trees/%s", sha), "truncated": false, "tree": s.entries(listing)})
}

// writeTree applies index entries to a tree, in an index of its own.
func (s *Server) writeTree(base, changes string) (string, error) {
	dir, err := os.MkdirTemp("", "fake-github-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	index := []string{"GIT_INDEX_FILE=" + path.Join(dir, "index")}
	if base != "" {
		if _, err := s.git.run(nil, index, "read-tree", base); err != nil {
			return "", err
		}
	}
	if _, err := s.git.run([]byte(changes), index, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return s.git.run(nil, index, "write-tree")
}

func (s *Server) getBlob(c *call, _ Identity) *answer {
	sha := c.text("file_sha")
	content, size, err := s.blob(sha)
	if err != nil {
		return notFound()
	}
	return ok(map[string]any{"sha": sha, "node_id": "x", "size": size, "encoding": "base64", "content": content, "url": s.apiURL("/git/blobs/%s", sha)})
}

// blob returns an object in base64, in lines of 60 as GitHub writes it.
func (s *Server) blob(name string) (content string, size int, err error) {
	out, err := s.git.read([]string{name}, "cat-file", "blob", name)
	if err != nil {
		return "", 0, err
	}
	if text, err := s.git.read([]string{name}, "cat-file", "-s", name); err == nil {
		fmt.Sscan(text, &size)
	}
	if size > len(out) {
		out += "\n" // run takes one line end away
	}
	all := base64.StdEncoding.EncodeToString([]byte(out))
	for len(all) > 60 {
		content += all[:60] + "\n"
		all = all[60:]
	}
	return content + all + "\n", size, nil
}

func (s *Server) createBlob(c *call, _ Identity) *answer {
	var in struct{ Content, Encoding string }
	c.decode(&in)
	data := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(in.Content, "\n", "")); err != nil {
			return message(422, "content is not valid Base64")
		}
	}
	sha, err := s.git.run(data, nil, "hash-object", "-w", "--stdin")
	if err != nil {
		return message(409, err.Error())
	}
	return created(map[string]any{"sha": sha, "url": s.apiURL("/git/blobs/%s", sha)})
}

func (s *Server) commit(sha string) (map[string]any, error) {
	all, err := s.commits(sha)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// commits asks git once, whatever their number: a process for each takes a busy machine minutes.
func (s *Server) commits(shas ...string) ([]map[string]any, error) {
	if len(shas) == 0 {
		return nil, nil
	}
	out, err := s.git.read(shas, append([]string{"show", "-s", "--format=%H%n%T%n%P%n%an%n%ae%n%aI%n%B%x00"}, shas...)...)
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	for text := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		lines := strings.SplitN(strings.TrimPrefix(text, "\n"), "\n", 7)
		parents := []map[string]any{}
		for _, p := range strings.Fields(lines[2]) {
			parents = append(parents, map[string]any{"sha": p, "url": s.apiURL("/git/commits/%s", p), "html_url": s.apiURL("/commit/%s", p)})
		}
		who := map[string]any{"name": lines[3], "email": lines[4], "date": lines[5]}
		all = append(all, map[string]any{"sha": lines[0], "url": s.apiURL("/git/commits/%s", lines[0]), "author": who, "committer": who,
			"message": strings.TrimRight(lines[6], "\n"),
			"tree":    map[string]any{"sha": lines[1], "url": s.apiURL("/git/trees/%s", lines[1])}, "parents": parents})
	}
	return all, nil
}

func (s *Server) getCommit(c *call, _ Identity) *answer {
	body, err := s.commit(c.text("commit_sha"))
	if err != nil {
		return notFound()
	}
	return ok(body)
}

func (s *Server) createCommit(c *call, _ Identity) *answer {
	var in struct {
		Message, Tree string
		Parents       []string
	}
	c.decode(&in)
	args := []string{"commit-tree", in.Tree, "-m", in.Message}
	for _, p := range in.Parents {
		args = append(args, "-p", p)
	}
	sha, err := s.git.run(nil, nil, args...)
	if err != nil {
		return message(422, "Tree SHA does not exist")
	}
	body, err := s.commit(sha)
	if err != nil {
		return message(409, err.Error())
	}
	return created(body)
}

// race commits to the branch that a request wants to move, as another writer would have just before.
func (s *Server) race(c *call) error {
	name := "refs/" + c.text("ref")
	if c.operation() == "git/create-ref" {
		var in struct{ Ref string }
		c.decode(&in)
		name = in.Ref
	}
	args := []string{"commit-tree", "-m", "another writer"}
	tree, err := s.git.run(nil, nil, "mktree", "--missing")
	if now, lost := s.git.run(nil, nil, "rev-parse", "--verify", "--quiet", name); lost == nil {
		args = append(args, "-p", now)
		tree, err = s.git.run(nil, nil, "rev-parse", now+"^{tree}")
	}
	if err != nil {
		return err
	}
	sha, err := s.git.run(nil, nil, append(args, tree)...)
	if err != nil {
		return err
	}
	_, err = s.git.run(nil, nil, "update-ref", name, sha)
	return err
}
