package fakegithub

import (
	"net/http"
	"strings"
)

// compare serves BASE...HEAD, both hashes or branches of the repository. Commits come in pages. Files are left out: nobody asks for them.
func (s *Server) compare(c *call, _ Identity) *answer {
	base, head, ok := strings.Cut(c.text("basehead"), "...")
	if !ok {
		return notFound()
	}
	for _, one := range []*string{&base, &head} {
		sha, err := s.git.read([]string{*one}, "rev-parse", "--verify", "--quiet", "--end-of-options", *one+"^{commit}")
		if err != nil {
			return notFound()
		}
		*one = sha
	}
	fork, err := s.git.read([]string{base, head}, "merge-base", base, head)
	if err != nil {
		return message(http.StatusNotFound, "No common ancestor between "+base+" and "+head+".")
	}
	body, err := s.comparison(base, head, fork)
	if err != nil {
		return message(http.StatusInternalServerError, err.Error())
	}
	commits, header := page(c, body["commits"].([]map[string]any))
	body["commits"] = commits
	return &answer{status: http.StatusOK, header: header, body: body}
}

func (s *Server) comparison(base, head, fork string) (map[string]any, error) {
	list, err := s.git.read([]string{base, head}, "rev-list", "--reverse", base+".."+head)
	if err != nil {
		return nil, err
	}
	commits, err := s.listed(strings.Fields(list)...)
	if err != nil {
		return nil, err
	}
	ends := map[string]map[string]any{}
	for _, sha := range []string{base, fork} { // git shows one that is named twice once
		one, err := s.listed(sha)
		if err != nil {
			return nil, err
		}
		ends[sha] = one[0]
	}
	url := s.apiURL("/compare/%s...%s", base, head)
	return map[string]any{"url": url, "html_url": url, "permalink_url": url, "diff_url": url, "patch_url": url, "status": "diverged",
		"base_commit": ends[base], "merge_base_commit": ends[fork], "ahead_by": len(commits), "behind_by": 0,
		"total_commits": len(commits), "commits": commits}, nil
}

// listed are commits as lists of the repository have them, around what the Git data API has.
func (s *Server) listed(shas ...string) ([]map[string]any, error) {
	all, err := s.commits(shas...)
	for i, git := range all {
		git["comment_count"] = 0
		sha := git["sha"]
		all[i] = map[string]any{"sha": sha, "node_id": "x", "url": s.apiURL("/commits/%s", sha), "html_url": s.apiURL("/commit/%s", sha),
			"comments_url": s.apiURL("/commits/%s/comments", sha), "commit": git, "author": nil, "committer": nil, "parents": git["parents"]}
	}
	return all, err
}
