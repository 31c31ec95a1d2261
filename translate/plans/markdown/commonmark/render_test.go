package commonmark

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

var places = regexp.MustCompile(` data-at="\d+"`)

func drawn(text string) string { return string(Parse([]byte(text)).AppendHTML(nil)) }

func TestAppendHTML(t *testing.T) {
	const table = `<div class="table" tabindex="0" role="group" aria-label="table"><table><thead><tr>`
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
		{"- [ ] a\n- [x] b\n- [-] *c*", `<ul><li class="task pending"><span class="spoken">pending: </span><div><p>a</p></div></li>` +
			`<li class="task completed"><span class="spoken">completed: </span><div><p>b</p></div></li>` +
			`<li class="task in_progress"><span class="spoken">in progress: </span><div><p><em>c</em></p></div></li></ul>`},
		{"- [P] a\n- [/]", `<ul><li><p>[P] a</p></li><li class="task in_progress"><span class="spoken">in progress: </span><div><p></p></div></li></ul>`},
		{"> a\nb\n> > c\n\nd", "<blockquote><p>a\nb</p><blockquote><p>c</p></blockquote></blockquote><p>d</p>"},
		{"```go x\na\n\n\n  *b*\n```\nc", `<pre><span class="language">go</span><code>a


  *b*</code></pre><p>c</p>`},
		{"  ```\n  a\n   b\n c\n```", "<pre><code>a\n b\nc</code></pre>"},
		{"- ```\n  a\n\n    b\n  ```", "<ul><li><pre><code>a\n\n  b</code></pre></li></ul>"},
		{"> ```\n> a", "<blockquote><pre><code>a</code></pre></blockquote>"},
		{"~~~\n```\n~~~~", "<pre><code>```</code></pre>"},
		{"    a\n\n\n\tb\n\nc", "<pre><code>a\n\n\nb</code></pre><p>c</p>"},
		{"```\n", "<pre><code></code></pre>"},
		{"a\n***\n- - -", "<p>a</p><hr><hr>"},
		{"| a | b |\n|:-:|--:|\n| `x\\|y` | **c** |\n| d |\ne", table + `<th class="center">a</th><th class="end">b</th></tr></thead>` +
			`<tbody><tr><td class="center"><code>x|y</code></td><td class="end"><strong>c</strong></td></tr><tr><td class="center">d</td><td colspan="1"></td></tr><tr><td class="center">e</td><td colspan="1"></td></tr></tbody></table></div>`},
		{"a | b\n--|\nc", "<p>a | b\n--|\nc</p>"}, // two cells and one

		{"*a* _b_ **c** __d__ ***e*** ~~f~~ ~g~", "<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <em><strong>e</strong></em> <del>f</del> <del>g</del></p>"},
		{"a_b_c 2 * 3 * 4 **a *b* c** *a **b** c*", "<p>a_b_c 2 * 3 * 4 <strong>a <em>b</em> c</strong> <em>a <strong>b</strong> c</em></p>"},
		{"**a*", "<p>*<em>a</em></p>"},
		{"`` a`b `` `c", "<p><code>a`b</code> `c</p>"},
		{"a `  ` ` b\nc `", "<p>a <code>  </code> <code>b c</code></p>"},
		{"\\*a\\* \\a &amp; &nope; &#65;&#x42;&#0; &copy", "<p>*a* \\a &amp; &amp;nope; AB\ufffd &amp;copy</p>"},
		{"![an *image*](x.png) [a](b", `<p><span class="image">an <em>image</em></span> [a](b</p>`},

		// Links, and what is not one.
		{"[a *b*](/c \"t\") [d](<e f>) [x](x)", `<p><span class="link">a <em>b</em></span> <span class="address">/c</span> <span class="link">d</span> <span class="address">e f</span> <span class="link">x</span></p>`},
		{"<https://a.b/c?d=\"e&f> <a@b.c> <b>", `<p><a class="link" target="_blank" rel="noopener noreferrer" href="https://a.b/c?d=&#34;e&amp;f">https://a.b/c?d="e&amp;f</a> ` +
			`<a class="link" target="_blank" rel="noopener noreferrer" href="mailto:a@b.c">a@b.c</a> &lt;b&gt;</p>`},
		{"see https://a.b/_c_d.", `<p>see <a class="link" target="_blank" rel="noopener noreferrer" href="https://a.b/_c_d">https://a.b/_c_d</a>.</p>`},
		{"[a]\n\n[a]: file:///b\\_c \"t\"\n[A]: d", `<p><a class="link" target="_blank" rel="noopener noreferrer" href="file:///b_c">a</a> <span class="address">file:///b_c</span></p>`},
		{"[a][b] [c]\n\n[B]: MAILTO:x", `<p><a class="link" target="_blank" rel="noopener noreferrer" href="MAILTO:x">a</a> <span class="address">MAILTO:x</span> [c]</p>`},
		{"[a [b](c) d](e)", `<p>[a <span class="link">b</span> <span class="address">c</span> d](e)</p>`},
		{"*a [b*](c)", `<p>*a <span class="link">b*</span> <span class="address">c</span></p>`},
		{"[a](javascript:alert(1)) <javascript:alert(1)> [b](data:x) [c](&#106;avascript:x) [d](//e.f) [e](java\tscript:x) [f](https&colon;//x)",
			`<p><span class="link">a</span> <span class="address">javascript:alert(1)</span> <span class="link">javascript:alert(1)</span> <span class="link">b</span> <span class="address">data:x</span> ` +
				`<span class="link">c</span> <span class="address">javascript:x</span> <span class="link">d</span> <span class="address">//e.f</span> [e](java	script:x) ` +
				`<a class="link" target="_blank" rel="noopener noreferrer" href="https://x">f</a> <span class="address">https://x</span></p>`},

		// No markup but our own.
		{"<script>alert(1)</script>\n\n<!-- x", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p><p>&lt;!-- x</p>"},
		{"a <img src=x onerror=\"y\"> & <br> b", "<p>a &lt;img src=x onerror=\"y\"&gt; &amp; <br> b</p>"},
		{"```\"><b>\n</code><b>\n```", "<pre><span class=\"language\">\"&gt;&lt;b&gt;</span><code>&lt;/code&gt;&lt;b&gt;</code></pre>"},
		{"[x](https://a\"onclick=\"b)", `<p><a class="link" target="_blank" rel="noopener noreferrer" href="https://a&#34;onclick=&#34;b">x</a> <span class="address">https://a"onclick="b</span></p>`},
		{"&lt;b&gt; `<i>`", "<p>&lt;b&gt; <code>&lt;i&gt;</code></p>"},
		{"a\u202eb &#x202e;\n\n\u001b[1m", "<p>a⟨U+202E⟩b ⟨U+202E⟩</p><p>⟨U+001B⟩[1m</p>"},
		{"", ""}, {"\r\n a\r\n", "<p>a</p>"},
	} {
		if diff := cmp.Diff(test.want, places.ReplaceAllString(drawn(test.text), "")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
	if got, want := drawn("😀 a\n\n- [x] b\n\n|c|d|\n|-|-|\n| `é` | e |\n\n```\nf"), `<p data-at="0">😀 a</p><ul><li class="task completed"><span class="spoken">completed: </span><div><p data-at="12">b</p></div></li></ul>`+
		`<div class="table" tabindex="0" role="group" aria-label="table"><table><thead><tr><th data-at="16">c</th><th data-at="18">d</th></tr></thead><tbody><tr><td data-at="29"><code>é</code></td><td data-at="35">e</td></tr></tbody></table></div>`+
		`<pre><code data-at="44">f</code></pre>`; got != want {
		t.Errorf("places:\n got %s\nwant %s", got, want)
	}
}

// plainMarkup writes HTML in one form for both renderers: without paragraphs, links and
// white space that nobody sees.
func plainMarkup(markup string) string {
	for _, change := range []struct{ from, to string }{
		{` data-at="\d+"| start="\d+"| style="[^"]*"`, ""},
		{`<span class="(spoken|language|address)">[^<]*</span>|<tbody>\s*</tbody>`, ""},
		{`<p class="heading level(\d)">([^\x00]*?)</p>`, "<h$1>$2</h$1>"},
		{`<img [^>]*alt="([^"]*)"[^>]*>`, "$1"},
		{`<(li|t[dh]|code) class="[^"]*">`, "<$1>"},
		{`<(td|th) colspan="(\d)"></(td|th)>`, "<$1></$1>"},
		{`</?(p|a|span|div|thead|tbody|input)\b[^>]*>`, " "},
		{`\s*(</?\w+>)\s*`, "$1"},
		{`\s+`, " "},
	} {
		markup = regexp.MustCompile(change.from).ReplaceAllString(markup, change.to)
	}
	return html.UnescapeString(strings.ReplaceAll(markup, "&lt;", "‹"))
}

// TestDrawsAsGeneralParser compares our HTML with a general renderer's.
func TestDrawsAsGeneralParser(t *testing.T) {
	texts := plans(t)
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "translate/README.md"} {
		text, err := os.ReadFile("../../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = text
	}
	renderer := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList))
	for name, text := range texts {
		switch name {
		case "deep.txtar", "table-none.txtar": // as in TestReadsAsGeneralParser
			continue
		case "inline.txtar", "tasks-in-ordered-list.txtar", "cut-first-mark.txtar", "arabic-hebrew.txtar", "non-breaking.txtar":
			continue // descriptions of images, boxes of plans, and characters that are spelled out
		}
		if regexp.MustCompile(`(?m)^\s*<[a-zA-Z!?/]|- \[[^ xX]\]`).Match(text) {
			continue // markup, or boxes of plans
		}
		t.Run(name, func(t *testing.T) {
			var theirs bytes.Buffer
			if err := renderer.Convert(text, &theirs); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plainMarkup(theirs.String()), plainMarkup(drawn(string(text)))); diff != "" {
				t.Errorf("(-general +ours)\n%s", diff)
			}
		})
	}
}

var element = regexp.MustCompile(`<(/?)(\w+)[^>]*>`)

// TestHTMLOfHostileTexts draws texts that cost a renderer which tries twice the square of
// their length, or an element for each character inside the one before.
func TestHTMLOfHostileTexts(t *testing.T) {
	const length = 30_000
	texts := map[string]string{ // elements inside each other, if nobody counted
		"nested emphasis": strings.Repeat("*a ", length/6) + strings.Repeat("b* ", length/6),
		"nested images":   strings.Repeat("![", length/6) + strings.Repeat("](a)", length/6),
		"definitions":     strings.Repeat("[a]: b\n", length/7) + strings.Repeat("[a]", length/6),
	}
	for _, part := range []string{
		"[", "![", "[](", "[a](", "[a](<", "[a](b \"", "](", "*", "**a", "*a_", "_a*b", "*a**b", "~", "~~a", "`", "`a``", "\\", "&", "&amp", "<", "<a:", "<a@", "https://a ", "www.", "http://(",
		"> ", ">", "- ", "-\t", "1. ", "- > ", "# ", "#", "|", "|a", "|-", "|a\n|-\n", "|a|\n|-|\n", "```\n", "~~~ `", "=\n", "\t", " ", "\n", "a\n", "    a\n", "  - a\n", "[[a](b)", "![![a](b)](c) ", "\r", "-\n\n", "<!--", "<?", "<a b=\"", "\x00",
		"* a\n  ", "&#x10ffff;", "**_", "a**b_c ", "***a* ", "🙂*", "\u202e", "[a]: b\n", "- [x] ", "- [ ] a\n",
	} {
		text := strings.Repeat(part, length/len(part))
		texts[part], texts[part+"x"], texts["x"+part] = text, text+"x", "x"+text
		texts[part+" and an end"] = text + "\n" + text[:len(text)/2] + "](x)`*"
	}
	for name, text := range texts {
		begin := time.Now()
		markup := drawn(strings.ToValidUTF8(text, "\ufffd"))
		if took := time.Since(begin); took > 3*time.Second {
			t.Errorf("%q took %v", name, took)
		}
		if len(markup) > 80*len(text) {
			t.Errorf("%q: %d bytes of %d", name, len(markup), len(text))
		}
		if deepest, err := nested(markup); err != nil || deepest > 120 {
			t.Errorf("%q: %d deep, %v", name, deepest, err)
		}
	}
}

// nested returns how deep elements are in each other, and whether each one ends.
func nested(markup string) (deepest int, err error) {
	var open []string
	for _, tag := range element.FindAllStringSubmatch(markup, -1) {
		switch {
		case tag[2] == "br" || tag[2] == "hr":
		case tag[1] == "":
			open = append(open, tag[2])
			deepest = max(deepest, len(open))
		case len(open) == 0 || open[len(open)-1] != tag[2]:
			return deepest, fmt.Errorf("</%s> ends nothing in %v", tag[2], open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return deepest, fmt.Errorf("%v do not end", open)
	}
	return deepest, nil
}

func FuzzAppendHTML(f *testing.F) {
	for _, plan := range plans(f) {
		f.Add(plan)
	}
	f.Add([]byte("[a *b*](c) ![`d`][e] **_f_** <g@h.i>\n\n| `\\|` |\n|-|\n| j |"))
	f.Fuzz(func(t *testing.T, text []byte) {
		markup := string(Parse(bytes.ToValidUTF8(text, nil)).AppendHTML(nil))
		if _, err := nested(markup); err != nil {
			t.Errorf("%v in %s", err, markup)
		}
		for _, tag := range element.FindAllString(markup, -1) {
			if !ownTag.MatchString(tag) {
				t.Errorf("%s in %s", tag, markup)
			}
		}
	})
}

var ownTag = regexp.MustCompile(`^</?(p|ul|ol|li|div|blockquote|pre|code|em|strong|del|br|hr|table|thead|tbody|tr|th|td|span|a)\b( (class|data-at|tabindex|role|aria-label|start|colspan|target|rel|href)="[^"<>]*")*>$`)
