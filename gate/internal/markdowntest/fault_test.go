package markdowntest_test

import (
	"testing"

	"github.com/org/perfgate/gate/internal/markdowntest"
)

// TestFault injects what must be found: a check that finds nothing anywhere proves nothing.
func TestFault(t *testing.T) {
	const ownLink = "https://github.example/o/r/actions/runs/7"
	for _, s := range []string{
		"[x](https://evil.example)", "![x](https://evil.example/p.png)", "https://evil.example", "<b>x</b>", "@octocat", "see #12", "a@b.example",
		"<script>alert(1)</script>", "~~x~~", "- [x] done", "> quote", "# PASS", "*x*", ":tada:", "0123abcd", "$x$", "x[^1]\n\n[^1]: y", "| a @octocat |\n|--|\n| b |", "---", "www.evil.example",
	} {
		if markdowntest.Fault("### ok\n\n"+s+"\n") == "" {
			t.Errorf("%q is not seen", s)
		}
	}
	own := "### ✅ PASS: `x` is **fast**\n\n| a<br>b |\n|:--|\n| `@octocat` |\n\n[x](" + ownLink + ")\n\n<details><summary>Output</summary>\n\n```text\n@octocat <b> https://x\n```\n\n</details>\n"
	if bad := markdowntest.Fault(own, ownLink); bad != "" {
		t.Errorf("own mark-up: %s", bad)
	}
}
