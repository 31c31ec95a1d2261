package commonmark

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var places = regexp.MustCompile(` data-at="\d+"`)

func render(text string) string { return string(Parse([]byte(text)).HTML()) }

func TestHTML(t *testing.T) {
	const table = `<div class="table" tabindex="0" role="group" aria-label="table"><table>`
	for _, test := range []struct{ text, want string }{
		{"One\ntwo\n\nthree", "<p>One\ntwo</p><p>three</p>"},
		{"# A #\n###### B\n#C\n####### D", `<p class="heading level1">A</p><p class="heading level6">B</p><p>#C
####### D</p>`},
		{"A\n=\nB\nC\n---", `<p class="heading level1">A</p><p class="heading level2">B
C</p>`},
		{"- a\n  - b\n    - c\n- d", "<ul><li><p>a</p><ul><li><p>b</p><ul><li><p>c</p></li></ul></li></ul></li><li><p>d</p></li></ul>"},
		{"-    a\n\n     b\n-     c", "<ul><li><p>a</p><p>b</p></li><li><pre dir=\"ltr\">c</pre></li></ul>"},
		{"-    a\n\n  b", "<ul><li><p>a</p></li></ul><p>b</p>"},
		{"3. a\n4. b\n\n1) c", `<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol><ol start="1"><li><p>c</p></li></ol>`},
		{"1. a\n\n   b\n\n       c\n2. d", `<ol start="1"><li><p>a</p><p>b</p><pre dir="ltr">c</pre></li><li><p>d</p></li></ol>`},
		{"- [ ] a\n- [-] **c**", `<ul><li class="task pending"><span class="spoken">pending: </span><div><p> a</p></div></li>` +
			`<li class="task in_progress"><span class="spoken">in progress: </span><div><p> <strong>c</strong></p></div></li></ul>`},
		{"- [P] a\n- [/]", `<ul><li><p>[P] a</p></li><li class="task in_progress"><span class="spoken">in progress: </span><div><p></p></div></li></ul>`},
		{"~~~ a`b\nc", "<pre dir=\"ltr\">c</pre>"},
		{"> a\n\n> b", "<blockquote><p>a</p></blockquote><blockquote><p>b</p></blockquote>"},
		{"> a\nb\n> > c\n\nd", "<blockquote><p>a\nb</p><blockquote><p>c</p></blockquote></blockquote><p>d</p>"},
		{"```go x\na\n\n\n  *b*\n```\nc", "<pre dir=\"ltr\">a\n\n\n  *b*</pre><p>c</p>"},
		{"- ```\n  a\n\n    b\n  ```", "<ul><li><pre dir=\"ltr\">a\n\n  b</pre></li></ul>"},
		{"```\n", ""},
		{"a\n***\n- - -", "<p>a</p><hr><hr>"},
		{"| a | b |\n|:-:|--:|\n| `x\\|y` | **c** |\n| d |\ne", table + "<tr><th>a</th><th>b</th></tr>" +
			"<tr><td><code>x\\|y</code></td><td><strong>c</strong></td></tr><tr><td>d</td></tr><tr><td>e</td></tr></table></div>"},

		// Bold type and code; everything else as it was written.
		{"**c** `` a`b `` **d `e`** 2 ** 3", "<p><strong>c</strong> <code> a`b </code> <strong>d <code>e</code></strong> 2 ** 3</p>"},
		{"*a* _b_ [a](b) ![c](d) &amp; \\*", "<p>*a* _b_ [a](b) ![c](d) &amp;amp; \\*</p>"},

		// No markup of the text.
		{"<script>alert(1)</script>\n\n<!-- x", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p><p>&lt;!-- x</p>"},
		{"a <img src=x onerror=\"y\"> & b", "<p>a &lt;img src=x onerror=&#34;y&#34;&gt; &amp; b</p>"},
		{"```\"><b>\n</code><b>\n```", "<pre dir=\"ltr\">&lt;/code&gt;&lt;b&gt;</pre>"},
		{"a\u202eb\n\n\u001b[1m", "<p>a⟨U+202E⟩b</p><p>⟨U+001B⟩[1m</p>"},
		{"", ""}, {"\r\n a\r\n", "<p>a</p>"},
	} {
		if diff := cmp.Diff(test.want, places.ReplaceAllString(render(test.text), "")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
	if got, want := render("😀 a\n\n- [x] b\n\n|c|d|\n|-|-|\n| `é` | e |\n\n```\nf"), `<p data-at="0">😀 a</p><ul><li class="task completed"><span class="spoken">completed: </span><div><p data-at="11"> b</p></div></li></ul>`+
		`<div class="table" tabindex="0" role="group" aria-label="table"><table><tr><th data-at="16">c</th><th data-at="18">d</th></tr><tr><td data-at="29"><code>é</code></td><td data-at="35">e</td></tr></table></div>`+
		`<pre dir="ltr" data-at="44">f</pre>`; got != want {
		t.Errorf("places:\n got %s\nwant %s", got, want)
	}
}

var tags = regexp.MustCompile(`<(/?)(\w+)[^>]*>`)

// TestHTMLOfHostileTexts renders texts that may take the square of their length in time, or nest an
// element for each character.
func TestHTMLOfHostileTexts(t *testing.T) {
	const length = 30_000
	texts := map[string]string{}
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
		markup := render(strings.ToValidUTF8(text, "\ufffd"))
		if took := time.Since(begin); took > 3*time.Second {
			t.Errorf("%q took %v", name, took)
		}
		if len(markup) > 80*len(text) {
			t.Errorf("%q: %d bytes of %d", name, len(markup), len(text))
		}
		if deepest, err := nesting(markup); err != nil || deepest > 120 {
			t.Errorf("%q: %d deep, %v", name, deepest, err)
		}
	}
}

// nesting returns the depth of the elements, and an error if one has no end.
func nesting(markup string) (deepest int, err error) {
	var open []string
	for _, tag := range tags.FindAllStringSubmatch(markup, -1) {
		switch {
		case tag[2] == "hr":
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

func FuzzHTML(f *testing.F) {
	for _, plan := range goldenPlans(f) {
		f.Add(plan)
	}
	f.Add([]byte("[a *b*](c) ![`d`][e] **_f_** <g@h.i>\n\n| `\\|` |\n|-|\n| j |"))
	f.Fuzz(func(t *testing.T, text []byte) {
		markup := string(Parse(bytes.ToValidUTF8(text, nil)).HTML())
		if _, err := nesting(markup); err != nil {
			t.Errorf("%v in %s", err, markup)
		}
		for _, tag := range tags.FindAllString(markup, -1) {
			if !ownTag.MatchString(tag) {
				t.Errorf("%s in %s", tag, markup)
			}
		}
	})
}

var ownTag = regexp.MustCompile(`^</?(p|ul|ol|li|div|blockquote|pre|code|strong|hr|table|tr|th|td|span)\b( (class|data-at|tabindex|role|aria-label|start|dir)="[^"<>]*")*>$`)
