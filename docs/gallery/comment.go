//go:build ignore

// Shows a comment as GitHub lays it out, near enough for a picture: go run docs/gallery/comment.go COMMENT.md >PAGE.html
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

const head = `<!DOCTYPE html><meta charset="utf-8"><title>Comment</title><style>
:root { color-scheme: light dark; --text: light-dark(#1f2328, #f0f6fc); --line: light-dark(#d1d9e0, #3d444d); --code: light-dark(#818b981f, #656c7633); --page: light-dark(#fff, #0d1117); --bar: light-dark(#f6f8fa, #151b23) }
body { margin: 24px; background: var(--page); color: var(--text); font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif }
article { max-width: 860px; border: 1px solid var(--line); border-radius: 6px } header { padding: 8px 16px; background: var(--bar); border-bottom: 1px solid var(--line); border-radius: 6px 6px 0 0 }
section { padding: 4px 16px 12px } h3 { font-size: 1.25em; margin: 12px 0 } code { font: 85% ui-monospace, "Liberation Mono", monospace; background: var(--code); padding: .2em .4em; border-radius: 6px }
table { border-collapse: collapse; display: block; width: max-content; max-width: 100% } th, td { border: 1px solid var(--line); padding: 6px 13px }
</style><article><header><b>github-actions</b> commented</header><section>
`

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(head)
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe(), html.WithHardWraps())).Convert(text, os.Stdout); err != nil { // a comment of the tests; GitHub keeps line breaks
		log.Fatal(err)
	}
	fmt.Println("</section></article>")
}
