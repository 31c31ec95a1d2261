package commonmark

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	htmlrenderer "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// outline returns the blocks of a text, a line each.
func outline(source []byte) string {
	var b strings.Builder
	d := Parse(source)
	depth := make([]int, len(d.Blocks))
	for i := range d.Blocks {
		block := &d.Blocks[i]
		if i > 0 {
			depth[i] = depth[block.Parent] + 1
		}
		indent := strings.Repeat("  ", depth[i])
		switch block.Kind {
		case Root:
		case Paragraph:
			if block.lineCount > 0 {
				fmt.Fprintf(&b, "%sp %s\n", indent, Plain(d.Raw(i)))
			}
		case Heading:
			fmt.Fprintf(&b, "%sh%d %s\n", indent, block.Level, Plain(d.Raw(i)))
		case Table:
			fmt.Fprintf(&b, "%stable\n", indent)
			for _, cells := range d.Rows(i) {
				for _, c := range cells {
					fmt.Fprintf(&b, "%s  | %s\n", indent, Plain(c))
				}
			}
		case List:
			fmt.Fprintf(&b, "%slist %c\n", indent, block.Marker)
		default:
			fmt.Fprintf(&b, "%s%s\n", indent, [...]string{Quote: "quote", Item: "item", Code: "code", HTML: "html", Break: "break"}[block.Kind])
		}
	}
	return b.String()
}

// general is the parser with which the tests compare this one.
var general = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify))

// generalOutline returns the same as outline, by the general parser.
func generalOutline(source []byte) string {
	var b strings.Builder
	var walk func(parent ast.Node, indent string)
	walk = func(parent ast.Node, indent string) {
		for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
			switch n := n.(type) {
			case *ast.Paragraph, *ast.TextBlock:
				if n.HasChildren() {
					fmt.Fprintf(&b, "%sp %s\n", indent, generalPlain(n, source))
				}
			case *ast.Heading:
				fmt.Fprintf(&b, "%sh%d %s\n", indent, n.Level, generalPlain(n, source))
			case *extast.Table:
				fmt.Fprintf(&b, "%stable\n", indent)
				for r := n.FirstChild(); r != nil; r = r.NextSibling() {
					for c := r.FirstChild(); c != nil; c = c.NextSibling() {
						fmt.Fprintf(&b, "%s  | %s\n", indent, generalPlain(c, source))
					}
				}
			case *ast.List:
				fmt.Fprintf(&b, "%slist %c\n", indent, n.Marker)
				walk(n, indent+"  ")
			case *ast.ListItem:
				fmt.Fprintf(&b, "%sitem\n", indent)
				walk(n, indent+"  ")
			case *ast.Blockquote:
				fmt.Fprintf(&b, "%squote\n", indent)
				walk(n, indent+"  ")
			case *ast.CodeBlock, *ast.FencedCodeBlock:
				fmt.Fprintf(&b, "%scode\n", indent)
			case *ast.HTMLBlock:
				fmt.Fprintf(&b, "%shtml\n", indent)
			case *ast.ThematicBreak:
				fmt.Fprintf(&b, "%sbreak\n", indent)
			}
		}
	}
	walk(general.Parser().Parse(text.NewReader(source)), "  ")
	return b.String()
}

func generalPlain(block ast.Node, source []byte) string {
	var written bytes.Buffer
	w := bufio.NewWriter(&written)
	var write func(n ast.Node)
	write = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			htmlrenderer.DefaultWriter.Write(w, n.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				w.WriteByte(' ')
			}
		case *ast.CodeSpan:
			span := source[n.Pos():]
			ticks := span[:runLength(span)]
			inside := n.LastChild().(*ast.Text).Segment.Stop - n.Pos()
			end := inside + bytes.Index(span[inside:], ticks) + len(ticks)
			htmlrenderer.DefaultWriter.RawWrite(w, span[:end])
		case *ast.AutoLink:
			htmlrenderer.DefaultWriter.RawWrite(w, n.Label(source))
		case *ast.RawHTML:
			if tag := n.Segments.Value(source); bytes.HasPrefix(bytes.ToLower(tag), []byte("<br")) {
				w.WriteByte(' ')
			}
		default:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				write(c)
			}
		}
	}
	write(block)
	w.Flush()
	words := strings.FieldsFunc(html.UnescapeString(written.String()), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return strings.Join(words, " ")
}

// goldenPlans returns the golden plans of package markdown by file.
func goldenPlans(t testing.TB) map[string][]byte {
	names, err := filepath.Glob("../testdata/plans/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no plans: %v", err)
	}
	plans := map[string][]byte{}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		plans[filepath.Base(name)] = archive.Files[0].Data
	}
	return plans
}

func TestReadsAsGeneralParser(t *testing.T) {
	for name, plan := range goldenPlans(t) {
		switch name {
		case "deep.txtar": // deeper than maxNesting
			continue
		case "table-none.txtar": // the general parser takes tables where GFM has none
			continue
		case "inline.txtar", "definition-indented.txtar", "loose-definition.txtar": // references to definitions are text
			continue
		case "html.txtar": // an attribute with ">" in it
			continue
		}
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(generalOutline(plan), outline(plan)); diff != "" {
				t.Errorf("blocks (-general parser +this one):\n%s", diff)
			}
		})
	}
}

// TestTableEnds has a row that is not in the quote of its table, which the general parser takes
// for a lazy line.
func TestTableEnds(t *testing.T) {
	const want = "  quote\n    table\n      | a\n      | b\n  p |c|d|\n"
	if got := outline([]byte("> |a|b|\n> |-|-|\n|c|d|")); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestLists has numbered items, and boxes outside of items.
func TestLists(t *testing.T) {
	const want = "  list .\n    item\n      p a\n    item\n      p b\n"
	if got := outline([]byte("9. a\n10. b")); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for text, want := range map[string]string{"- [x] a": "completed", "> [x] a": "", "- # [x] a": ""} {
		d := Parse([]byte(text))
		if got := d.ItemBox(len(d.Blocks) - 1); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestPlain checks syntax that is rare in the golden plans.
func TestPlain(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"see https://x.org/_a_/b_c_d for *more*", "see https://x.org/_a_/b_c_d for more"},
		{"(www.x.org/a_b_) and _www_", "(www.x.org/a_b_) and www"},
		{"https://x.org/a_(b)_c).", "https://x.org/a_(b)_c)."},
		{"a _b https://x.org/c_d e_", "a b https://x.org/c_d e"},
		{"[a https://x.org/b_c](u) _d_", "a https://x.org/b_c d"},
		{"***a*** **c *d* e**", "a c d e"},
		{"a*b*c a_b_c", "abc a_b_c"},
		{"~a~ ~~b~~ ~~~c~~~ ~~d~", "a b ~~~c~~~ ~~d~"},
		{"[a [b](c) d](e)", "[a b d](e)"},
		{"[a](<b c> \"d\") [b](c(d)) [e](f", "a b [e](f"},
		{"[a]((b)) c", "a c"},
		{"``a`b`` `c", "``a`b`` `c"},
		{"a<br>b <i c='d'>e</i> <f", "a b e <f"},
		{"a <!-- b -> <i>c</i> --> d <!-- e", "a d <!-- e"},
		{"a<BR>b [c &amp;lt; d](e)", "a b c &lt; d"},
		{"<!-- a --> b List<?> c <!--> d", "b List<?> c d"},
		{"&lt;a&gt; &amp;amp; &nosuch; &#65; &#0;", "<a> &amp; &nosuch; A \ufffd"},
		{"\\*a\\* \\b \\", "*a* \\b \\"},
		{"a\nb\\\nc  \nd\x00\x1be", "a b c d e"},
		{"<https://x.org/a_b_> <me@x.org>", "https://x.org/a_b_ me@x.org"},
		{"**日本語**です **「括弧」**です", "日本語です 「括弧」です"},
	} {
		if got := Plain([]byte(tt.raw)); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.raw, got, tt.want)
		}
	}
}
