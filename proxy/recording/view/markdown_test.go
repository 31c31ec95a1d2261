package view

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// loadScripts makes the functions of the page that draw texts known to a page
// without anything.
func loadScripts(b *browser) {
	b.t.Helper()
	b.open("about:blank")
	text, err := concatenate("text.js", "json.js", "difference.js", "kinds.js", "draw.js", "drawplans.js",
		"inline.js", "markdown.js", "prose.js", "filediff.js", "terminal.js")
	if err != nil {
		b.t.Fatal(err)
	}
	eval[bool](b, text+`
const blocks = (text, spans = null) => {
	const box = document.createElement("div");
	box.append(markdownBlocks(text, spans));
	for (const e of box.querySelectorAll("[dir]")) e.removeAttribute("dir");
	for (const e of box.querySelectorAll("svg")) e.replaceWith("@" + e.getAttribute("class").slice(5));
	return box;
}; true`)
}

func TestMarkdown(t *testing.T) {
	b := newBrowser(t, 1200, 800)
	loadScripts(b)
	for _, test := range []struct{ text, want string }{
		{"One\ntwo\n\nthree", "<p>One\ntwo</p><p>three</p>"},
		{"a  \nb\\\nc", "<p>a<br>b<br>c</p>"},
		{"# A #\n###### B\n#C\n####### D", `<p class="heading level1">A</p><p class="heading level6">B</p><p>#C
####### D</p>`},
		{"A\n=\nB\nC\n---", `<p class="heading level1">A</p><p class="heading level2">B
C</p>`},
		{"- a\n  - b\n    - c\n- d", "<ul><li><p>a</p><ul><li><p>b</p><ul><li><p>c</p></li></ul></li></ul></li><li><p>d</p></li></ul>"},
		{"-    a\n\n     b\n-     c", "<ul><li><p>a</p><p>b</p></li><li><pre><code>c</code></pre></li></ul>"},
		{"-    a\n\n  b", "<ul><li><p>a</p></li></ul><p>b</p>"},
		{"3. a\n4. b\n\n1) c", `<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol><ol><li><p>c</p></li></ol>`},
		{"1. a\n\n   b\n\n       c\n2. d", "<ol><li><p>a</p><p>b</p><pre><code>c</code></pre></li><li><p>d</p></li></ol>"},
		{"- [ ] a\n- [x] b\n- [-] c", `<ul><li class="task pending">@pending<span class="spoken">pending: </span><div><p>a</p></div></li>` +
			`<li class="task completed">@completed<span class="spoken">completed: </span><div><p>b</p></div></li>` +
			`<li class="task in_progress">@in_progress<span class="spoken">in progress: </span><div><p>c</p></div></li></ul>`},
		{"> a\nb\n> > c\n\nd", "<blockquote><p>a\nb</p><blockquote><p>c</p></blockquote></blockquote><p>d</p>"},
		{"```go x\na\n\n  *b*\n```\nc", `<pre><span class="language">go</span><code>a

  *b*</code></pre><p>c</p>`},
		{"~~~\n```\n~~~~", "<pre><code>```</code></pre>"},
		{"    a\n\n\tb\nc", "<pre><code>a\n\nb</code></pre><p>c</p>"},
		{"a\n***\n- - -", "<p>a</p><hr><hr>"},
		{"| a | b |\n|:-:|--:|\n| `x\\|y` | **c** |\n| d |\ne", `<div class="table" tabindex="0" role="group" aria-label="table"><table><thead><tr><th class="center">a</th><th class="end">b</th></tr></thead>` +
			`<tbody><tr><td class="center"><code>x|y</code></td><td class="end"><strong>c</strong></td></tr><tr><td class="center">d</td><td colspan="1"></td></tr><tr><td class="center">e</td><td colspan="1"></td></tr></tbody></table></div>`},
		{"a | b\n--|\nc", "<p>a | b\n--|\nc</p>"}, // two cells and one

		{"*a* _b_ **c** __d__ ***e*** ~~f~~ ~g~", "<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <em><strong>e</strong></em> <del>f</del> <del>g</del></p>"},
		{"a_b_c 2 * 3 * 4 **a *b* c** *a **b** c*", "<p>a_b_c 2 * 3 * 4 <strong>a <em>b</em> c</strong> <em>a <strong>b</strong> c</em></p>"},
		{"**a*", "<p>*<em>a</em></p>"},
		{"`` a`b `` `c", "<p><code>a`b</code> `c</p>"},
		{"\\*a\\* \\a &amp; &nope; &#65;&#x42;&#0; &copy", "<p>*a* \\a &amp; &amp;nope; AB\ufffd &amp;copy</p>"},
		{"[a *b*](/c \"t\") [d](<e f>) [x](x)", `<p><span class="link">a <em>b</em></span><span class="address"> (/c)</span> <span class="link">d</span><span class="address"> (e f)</span> <span class="link">x</span></p>`},
		{"<https://a.b/c?d=e> <a@b.c> <b>", `<p><span class="link">https://a.b/c?d=e</span> <span class="link">a@b.c</span> &lt;b&gt;</p>`},
		{"![an *image*](x.png) [a](b", `<p><span class="image">an <em>image</em></span> [a](b</p>`},
		{"[a [b](c) d](e)", `<p>[a <span class="link">b</span><span class="address"> (c)</span> d](e)</p>`},
		{"*a [b*](c)", `<p>*a <span class="link">b*</span><span class="address"> (c)</span></p>`},
		{"<script>alert(1)</script>\n\n<!-- x", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p><p>&lt;!-- x</p>"},
		{"[a](javascript:alert(1)) <javascript:alert(1)>", `<p><span class="link">a</span><span class="address"> (javascript:alert(1))</span> <span class="link">javascript:alert(1)</span></p>`},
		{"a\u202eb\n\n\u001b[1m", "<p>a⟨U+202E⟩b</p><p>⟨U+001B⟩[1m</p>"},
		{"", ""}, {"\r\n a\r\n", "<p>a</p>"},
	} {
		if got := eval[string](b, "blocks("+quoteJSON(test.text)+").innerHTML"); got != test.want {
			t.Errorf("%q\n got %s\nwant %s", test.text, got, test.want)
		}
	}
	// The part of a text that a message added is marked wherever it is.
	for _, test := range []struct {
		text     string
		from, to int
		want     string
	}{
		{"Hello *world*.", 3, 9, "<p>Hel<mark>lo </mark><em><mark>wo</mark>rld</em>.</p>"},
		{"> - a b\n> - c", 6, 13, "<blockquote><ul><li><p>a <mark>b</mark></p></li><li><p><mark>c</mark></p></li></ul></blockquote>"},
		{"\t\ta\n\tbc", 6, 7, "<pre><code>    a\nb<mark>c</mark></code></pre>"},
		{"|a|b|\n|-|-|\n|c|d|", 15, 16, `<div class="table" tabindex="0" role="group" aria-label="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td><mark>d</mark></td></tr></tbody></table></div>`},
	} {
		if got := eval[string](b, fmt.Sprintf("blocks(%s, [[%d, %d]]).innerHTML", quoteJSON(test.text), test.from, test.to)); got != test.want {
			t.Errorf("%q\n got %s\nwant %s", test.text, got, test.want)
		}
	}
	b.quiet()
}

// outline is a script with a function that writes what is in a document in one form
// for both renderers: without paragraphs, with links as their text.
const outline = `const outline = (node) => {
	let out = "";
	for (const n of node.childNodes) {
		if (n.nodeType === 3) out += n.data;
		if (n.nodeType !== 1 || n.matches(".address, .spoken, .language, input")) continue;
		const level = /level(\d)/.exec(n.className);
		const tag = level ? "h" + level[1] : n.localName;
		out += ["p", "a", "span", "div", "img", "thead", "tbody"].includes(tag) ? " " + outline(n) + (n.getAttribute("alt") ?? "") + " " : " <" + tag + "> " + outline(n) + " </" + tag + "> ";
	}
	return node.localName === "pre" ? out : out.replace(/@\w+/g, "").replace(/\s+/g, " ");
}; true`

// TestMarkdownAlike compares our reading of markdown with goldmark's.
func TestMarkdownAlike(t *testing.T) {
	b := newBrowser(t, 1200, 800)
	loadScripts(b)
	eval[bool](b, outline)
	files, err := filepath.Glob("../../../translate/plans/markdown/testdata/plans/*.md")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "../../../README.md", "../../../CONTRIBUTING.md", "../../../CHANGELOG.md", "../../../translate/README.md", "../../../testdata/interop/README.md")
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var html bytes.Buffer
		if err := markdown.Convert(text, &html); err != nil {
			t.Fatal(err)
		}
		ours := eval[string](b, "outline(blocks("+quoteJSON(string(text))+"))")
		theirs := eval[string](b, "outline(new DOMParser().parseFromString("+quoteJSON(html.String())+`, "text/html").body)`)
		if at := differAt(ours, theirs); at >= 0 {
			t.Errorf("%s: ours %.200q\ntheirs %.200q", name, ours[at:], theirs[at:])
		}
	}
	b.quiet()
}

// differAt returns a place shortly before where two texts differ, -1 if they do not.
func differAt(a, b string) int {
	if a == b {
		return -1
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return max(0, at-60)
}

// TestMarkdownHostile draws texts that cost a renderer which tries twice the square
// of their length, or an element for each character inside the one before.
func TestMarkdownHostile(t *testing.T) {
	b := newBrowser(t, 1200, 800)
	loadScripts(b)
	const length = 40_000
	texts := map[string]string{ // elements inside each other, if nobody counted
		"nested emphasis": strings.Repeat("*a ", length/6) + strings.Repeat("b* ", length/6),
		"nested images":   strings.Repeat("![", length/6) + strings.Repeat("](a)", length/6),
	}
	for _, part := range []string{
		"[", "![", "[](", "[a](", "[a](<", "[a](b \"", "](", "*", "**a", "*a_", "_a*b", "*a**b", "~", "~~a", "`", "`a``", "\\", "&", "&amp", "<", "<a:", "<a@",
		"> ", ">", "- ", "-\t", "1. ", "- > ", "# ", "#", "|", "|a", "|-", "|a|\n|-|\n", "```\n", "~~~ `", "~", "=\n", "\t", " ", "\n", "a\n", "    a\n", "  - a\n", "[[a](b)", "![![a](b)](c) ", "\r", "-\n\n",
		"* a\n  ", "&#x10ffff;", "**_", "a**b_c ", "***a* ", "🙂*", "\u202e",
	} {
		text := strings.Repeat(part, length/len(part))
		texts[part], texts[part+"x"], texts["x"+part] = text, text+"x", "x"+text
		texts[part+" and an end"] = text + "\n" + text[:len(text)/2] + "](x)`*"
	}
	for name, text := range texts {
		got := eval[[]int](b, `(() => {
				const box = blocks(`+quoteJSON(text)+`);
				let deepest = 0;
				for (const e of box.querySelectorAll("*")) {
					if (e.firstElementChild) continue;
					let depth = 0;
					for (let up = e; up !== box; up = up.parentNode) depth++;
					deepest = Math.max(deepest, depth);
				}
				return [deepest, box.querySelectorAll("*").length];
			})()`)
		if got[0] > 80 || got[1] > 4*len(text) {
			t.Errorf("%q: %d elements, %d deep", name, got[1], got[0])
		}
	}
	b.quiet()
}
