package render

import (
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// Markdown has no quoting that covers all that GitHub makes of text after it was parsed: mentions, #123, commit hashes,
// bare links and addresses. Only code spans and code blocks are left alone. So there are two kinds of words: those of a
// small harmless alphabet, and all others, which go into a code span.

// harmless matches words in which nothing can act: letters and digits with single hyphens or apostrophes between
// letters, numbers with a sign and a unit, and the punctuation around them; or punctuation alone.
var harmless = text.Pattern(`^[("'“‘„]*(?:` +
	`\pL+(?:[-'’]\pL+)*` + // side-by-side
	`|[A-Za-z0-9]{1,12}` + // float64
	`|[+−±]?[0-9]+(?:[.,][0-9]+)*(?:x|s|ms|µs|ns|%)?` + // +92.1, 1.92x, 12.2.0
	`|%|…|±|×|→|≤|≥|–|°C|GB/s|GFLOP/s` +
	`)["'”’“]?[).,:;!?]{0,3}$|^[).,:;]{1,3}$|^\($`)

// hash matches what GitHub may take for a commit.
var hash = text.Pattern(`(?i)[0-9a-f]{7,}`)

func isHarmless(word string) bool { return harmless().MatchString(word) && !hash().MatchString(word) }

// opensList matches a word that at the start of a line would begin a numbered list.
var opensList = text.Pattern(`^[0-9]+[.)]+$`)

// Line writes t as one line of Markdown in which nothing acts.
func Line(t report.Text) string {
	var b strings.Builder
	bold := false
	for _, g := range groups(pieces(t)) {
		if bold && !loud(g.Tone) {
			b.WriteString("**")
		}
		if g.gap > 0 && b.Len() > 0 {
			b.WriteByte(' ')
		}
		if !bold && loud(g.Tone) {
			b.WriteString("**")
		}
		bold = loud(g.Tone)
		if g.Code {
			g.Text = codeSpan(g.Text)
		}
		b.WriteString(g.Text)
	}
	if bold {
		b.WriteString("**")
	}
	return b.String()
}

// loud reports whether a tone is set in bold, the only one that Markdown has.
func loud(t report.Tone) bool {
	return t == report.Bad || t == report.Good || t == report.Warn || t == report.Strong
}

// groups joins neighbours that are written alike, since two code spans that touch would be one of another kind. Only
// harmless words stay out of code, and the punctuation after others.
func groups(all []piece) []piece {
	var out []piece
	verbatim := false // the last word of the last group is code because its author said so
	within := 0       // words that the code before them reaches over
	for i, p := range all {
		said := p.Code || i == 0 && opensList().MatchString(p.Text)
		p.Code = said || within > 0 || !isHarmless(p.Text)
		if within--; within < 0 && p.Code && !said {
			within = toClosing(all[i:])
		}
		last := len(out) - 1
		switch {
		case last >= 0 && out[last].Code == p.Code && (p.gap == 0 || loud(out[last].Tone) == loud(p.Tone)):
			out[last].Text += strings.Repeat(" ", min(p.gap, 1)) + p.Text
		default:
			if p.gap > 0 {
				out = peeled(out, verbatim)
			}
			out = append(out, p)
		}
		verbatim = said
	}
	return peeled(out, verbatim)
}

// mostWithin is how far a parenthesis is followed to its end.
const mostWithin = 8

// toClosing counts the words up to the one that closes the parenthesis which the first opens, so that no code ends in between. 0 where
// it opens none, where none closes it soon, and where a word in between is of another kind.
func toClosing(all []piece) int {
	open := 0
	for i, p := range all[:min(len(all), mostWithin)] {
		open += strings.Count(p.Text, "(") - strings.Count(p.Text, ")")
		switch {
		case i > 0 && p.Tone != all[0].Tone:
			return 0
		case open <= 0:
			return i
		}
	}
	return 0
}

// peeled takes punctuation out of the code span at the end of all, but not a parenthesis that closes one in it.
func peeled(all []piece, verbatim bool) []piece {
	if len(all) == 0 || verbatim || !all[len(all)-1].Code {
		return all
	}
	last := &all[len(all)-1]
	text := last.Text
	for n := 0; n < 3 && len(text) > 1; n++ {
		end := text[len(text)-1]
		if !strings.ContainsRune(").,:;", rune(end)) || end == ')' && strings.Count(text, "(") >= strings.Count(text, ")") {
			break
		}
		text = text[:len(text)-1]
	}
	if tail := last.Text[len(text):]; tail != "" && strings.Trim(text, ").,:; ") != "" {
		last.Text = text
		all = append(all, piece{Span: report.Span{Text: tail, Tone: last.Tone}})
	}
	return all
}

// codeSpan writes visible text as code. Its fence is longer than any run of backticks in it, and a bar, which would
// end a table cell even in code, becomes one that looks the same.
func codeSpan(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(shortRuns(s), "|", "∣")
	fence := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// codeBlock writes lines as they are between fences that none of them can close.
func codeBlock(language string, lines []string) string {
	body := shortRuns(strings.Join(lines, "\n"))
	fence := strings.Repeat("`", max(3, longestRun(body)+1))
	return fence + language + "\n" + body + "\n" + fence + "\n"
}

// mostBackticks is the longest run of backticks that is kept: parsers give up on fences of a hundred.
const mostBackticks = 8

var backticks = text.Pattern("`{9,}")

func shortRuns(s string) string {
	return backticks().ReplaceAllString(s, strings.Repeat("`", mostBackticks))
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
