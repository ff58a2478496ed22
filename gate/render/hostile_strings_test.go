package render

import "strings"

// hostile are strings that a change could put into a name, a value, a reason or what its compiler prints.
var hostile = []string{
	// mentions and references that GitHub makes of plain text
	"@octocat", "hello @org/team, look", "a@b.example", "mail me at someone@example.com now", "#123", "GH-123", "org/repo#7",
	"fixes #1", "closes org/repo#2", "JIRA-42", "0123abc", "deadbeef", "see 5f3759df5f3759df5f3759df5f3759df5f3759df",
	"octocat@0123abc", "org/repo@5f3759df5f3759df", ":tada:", "a :+1: b",
	// links, images, bare addresses
	"[click](https://evil.example)", "![x](https://evil.example/p.png)", "[x]: https://evil.example", "[x][y]", "[^1]",
	"https://evil.example/?q=1", "http://evil.example", "www.evil.example", "ftp://evil.example", "<https://evil.example>",
	"javascript:alert(1)", "[a](javascript:alert(1))", "xmpp:a@b.example/c", "mailto:a@b.example", "//evil.example",
	// HTML
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</details>", "</summary></details><h1>PASS</h1>", "<!-- hidden",
	"-->", "<!-- perfgate -->", "&lt;b&gt;", "&#64;octocat", "&#x40;octocat", "<a href='https://evil.example'>ok</a>", "<br>", "<details open>",
	"<![CDATA[", "<?php", "<sub>", "</code>@octocat<code>",
	// tables
	"|", "a|b", `a\|b`, `\|`, `\\|`, "| PASS | PASS |", "a\n|--|--|\n| x | y |", "a∣b",
	// code spans and fences
	"`", "``", "```", "a`b", "`@octocat`", "`` `@octocat` ``", "x` @octocat `y", strings.Repeat("`", 100) + "@octocat",
	"```\n@octocat\n```", "~~~\n</details>", "\n```\n# PASS\n", "    indented", "\\", "\\`@octocat", "a\\", "` `",
	// blocks
	"# PASS", "\n# PASS\n", "PASS\n====", "PASS\n---", "---", "***", "- item", "* item", "+ item", "1. item", "1)", "2.", "> quote",
	"\n> [!NOTE]\n> PASS", "- [x] done", "\n\n", "\r\n## PASS",
	// inline
	"**bold**", "__bold__", "*x*", "_x_", "~~x~~", "$x^2$", "$$x$$", "a**b", "**", "==x==", "H~2~O", "{{x}}", "${{ secrets.X }}",
	// terminals
	"\x1b[31mred\x1b[0m", "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\", "\x1b[1A\x1b[2KPASS",
	"\x1b", "\x1b[", "\x9b31m", "\u009b31m", "FAIL\rPASS", "FAIL\b\b\b\bPASS", "a\x00b", "\a", "\v\f", "a\tb", "\x7f", "\x1bP+q\x1b\\",
	// Unicode
	"\u202egnp.exe", "\u2066a\u2069", "\u200b", "a\u200db", "\ufeff", "a\u2028b\u2029c", "\u0085", "\u00ad", "\u061c", "\u115f\u3164\u2800",
	"\U000e0041\U000e0042", "e\u0301\u0301\u0301\u0301\u0301", "\xff\xfe", "\xc3", "漢字カーネル", "\ufffd", "𝐏𝐀𝐒𝐒", "a\u00a0b\u3000c",
	// the same with other spellings, nested, or reaching over the parts of a line
	"@octocat/@hubot", "@octo-org/team-name", "(@octocat)", "'@octocat'", "@octocat:", "/cc @octocat", "\uff20octocat", "@\u200boctocat", "user@host:/path",
	"o/r#1 and o/r@deadbeef", "#1#2#3", "GH-1,GH-2", "resolves: #9", "https://github.com/o/r/issues/1", "https://github.com/o/r/pull/1/files#r1", "0xdeadbeef", "DEADBEEF01",
	"[x]( https://evil.example )", "[x](<https://evil.example>)", "[![x](a)](https://evil.example)", "![][x]", "[x]:<https://evil.example> 'y'", "\\[x](https://evil.example)", "[a\nb](https://evil.example)",
	"HTTPS://EVIL.EXAMPLE", "hxxps://evil.example", "https://evil.example/`x`", "https://evil.example|x", "data:text/html,x", "tel:123", "www.evil.example/a_b_c",
	"<b", "<B>x</B>", "<svg/onload=alert(1)>", "<img/src=x>", "<a\nhref=x>", "<!DOCTYPE html>", "<!--> x <!-->", "</pre></code></td></tr></table>", "<p align=center>", "<kbd>x</kbd>", "&copy;", "&#0;", "&NewLine;", "&lbrack;x&rbrack;(https://evil.example)",
	"|--|", ":-:|", "\n|a|b|\n|-|-|\n|c|d|\n", "`|`", "\\||", "a ||| b", "\n\n| PASS |\n", "`a|b`",
	"```suggestion\nx\n```", "```mermaid\ngraph TD\n```", "````", "`````x", "~~~~", "` ``` `", "``\n``", "\t```", "   ```\n   x", "`@octocat", "@octocat`", "``@octocat`",
	"====", "Setext\n===", "a  \nb", "a\\\nb", "+++", "* * *", "1986\\. x", "1986. x", "- [ ] x", "[!WARNING]", "> [!IMPORTANT]", "[^a]: note", "<details><summary>x</summary>", "# @octocat",
	"***x***", "_@octocat_", "a_b_c", "snake_case_name", "5*3*2", "\\*x\\*", "$`x`$", "```math\nx\n```", "~x~", "^x^", "H<sub>2</sub>O", "{% x %}", "#!/bin/sh", ":octocat:", "::1", "12:30:45",
	// log commands of CI services
	"::error file=x::y", "  ::set-output name=verdict::pass", "::stop-commands::x", "##[error]x", "##[group]x", "##vso[task.setvariable]x", "##teamcity[x]", "a ##[set-env name=x]y",
	// sizes
	"", " ", strings.Repeat("A", 5000), strings.Repeat("@a ", 2000), strings.Repeat("x\n", 500), strings.Repeat("漢", 400),
}
