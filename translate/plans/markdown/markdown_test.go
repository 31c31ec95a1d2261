package markdown

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var updateMarkdown = flag.Bool("update", false, "rewrite the golden entries")

// goldenEntries writes a Rendering as the files "entries" are written.
func goldenEntries(r Rendering) string {
	var b strings.Builder
	if r.Title != "" {
		fmt.Fprintf(&b, "title: %s\n", r.Title)
	}
	for _, e := range r.Entries {
		mark := map[string]string{"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}[e.Status]
		fmt.Fprintf(&b, "%s %s\n", mark, e.Content)
	}
	return b.String()
}

// TestRenderGolden renders the plans in testdata/plans. One whose
// comment says "crlf" is rendered with Windows line ends, and one whose comment
// says "cut" without the newline at its end, which txtar cannot leave out.
func TestRenderGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/plans/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) != 2 || archive.Files[0].Name != "plan.md" || archive.Files[1].Name != "entries" {
				t.Fatal("want the files plan.md and entries")
			}
			source := archive.Files[0].Data
			if bytes.Contains(archive.Comment, []byte("crlf")) {
				source = bytes.ReplaceAll(source, []byte("\n"), []byte("\r\n"))
			}
			if bytes.Contains(archive.Comment, []byte("cut")) {
				source = bytes.TrimSuffix(source, []byte("\n"))
			}
			got := goldenEntries(Render(source))
			if *updateMarkdown {
				archive.Files[1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

// checkRendering fails the test for what no source may lead to.
func checkRendering(t *testing.T, r Rendering) {
	t.Helper()
	line := func(what, s string) {
		if !utf8.ValidString(s) {
			t.Errorf("%s %q is not UTF-8", what, s)
		}
		if strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("%s %q has control characters", what, s)
		}
		if s != strings.Join(strings.Fields(s), " ") {
			t.Errorf("%s %q has stray white space", what, s)
		}
	}
	line("title", r.Title)
	completed := 0
	for _, e := range r.Entries {
		line("content", e.Content)
		if e.Content == "" {
			t.Error("an entry is empty")
		}
		if !slices.Contains([]string{"pending", "in_progress", "completed"}, e.Status) {
			t.Errorf("status %q", e.Status)
		}
		if e.Status == "completed" {
			completed++
		}
	}
	if r.Done != (completed > 0 && completed == len(r.Entries)) {
		t.Errorf("done is %v with %d of %d entries completed", r.Done, completed, len(r.Entries))
	}
}

func FuzzRender(f *testing.F) {
	names, err := filepath.Glob("testdata/plans/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	for _, document := range largeMarkdown() {
		f.Add([]byte(document(120)))
	}
	f.Add([]byte("    code without a newline"))
	f.Fuzz(func(t *testing.T, source []byte) {
		// Spare capacity, so that a write past the end of source shows.
		buffer := append(slices.Clone(source), "unchanged"...)
		checkRendering(t, Render(buffer[:len(source)]))
		if string(buffer) != string(source)+"unchanged" {
			t.Error("the source was changed")
		}
	})
}

// repeatTo returns s repeated to about size bytes, with {n} counted up.
func repeatTo(s string, size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(strings.ReplaceAll(s, "{n}", fmt.Sprint(n)))
	}
	return b.String()
}

// largeMarkdown are plans of a given size whose time to render must grow with
// the size only. Those that are not named for a kind of plan are made to be
// costly: each is the worst case of some construct.
func largeMarkdown() map[string]func(size int) string {
	of := func(parts ...string) func(int) string {
		return func(size int) string {
			prefix, unit, suffix := "", parts[0], ""
			if len(parts) == 3 {
				prefix, unit, suffix = parts[0], parts[1], parts[2]
			}
			return prefix + repeatTo(unit, size-len(prefix)-len(suffix)) + suffix
		}
	}
	item := func(unit string) func(int) string { return of("- [ ] ", unit, "") }
	// Items as long as may be for their inline syntax to be resolved.
	items := func(units ...string) func(int) string {
		text := "- [ ] "
		for _, unit := range units {
			text += strings.Repeat(unit, (maxText-len("- [ ] ")-1)/len(units)/len(unit))
		}
		return of(text + "\n")
	}
	return map[string]func(int) string{
		"plan/checklist":  of("- [ ] write the lexer for the **grammar** and run `go test ./...`\n"),
		"plan/nested":     of("- [ ] first of {n}\n  - [x] second, see [the notes](docs/n.md)\n    - [ ] third one is deeper\n"),
		"plan/loose":      of("- [ ] task {n}: rename the columns in the _users_ table\n\n"),
		"plan/prose":      of("This paragraph tells why the *parser* is there and what it does to [links](http://x).\nAnd a line.\n\n"),
		"plan/headings":   of("## Phase {n}: move the handlers\n\nSome prose about that phase.\n\n"),
		"plan/code":       of("```go\nfunc main() {\n\tfmt.Println(\"- [ ] no\")\n}\n```\n\n1. then do this\n\n"),
		"plan/table":      of("| step | owner |\n|---|---|\n", "| lexer {n} | ann |\n", ""),
		"plan/one-line":   of("a very long paragraph without any line break at all "),
		"plan/one-item":   item("words and *more* words with `code` and _such_ things "),
		"short/tasks":     of("- [ ] x\n"),
		"short/nested":    of("- a\n  - b\n    - c\n"),
		"short/lines":     of("a\n"),
		"short/paragraph": of("a\n\n"),
		"short/headings":  of("# a\n"),
		"short/blank":     of("\n"),
		"short/setext":    of("a\n-\n"),
		"short/ordered":   of("1. a\n"),
		"short/quotes":    of("> a\n\n"),
		"short/fences":    of("```\n```\n"),
		"short/tags":      of("<a\n"),
		"short/comments":  of("<!-- -->\n"),
		"short/pre":       of("<pre>\n", "x\n", ""),

		"nesting/bullets-line":   of("- "),
		"nesting/bullets-end":    of("", "- ", "x"),
		"nesting/ordered-line":   of("1. "),
		"nesting/quotes-line":    of(">"),
		"nesting/quotes-lines":   of(strings.Repeat(">", 100) + " a\n"),
		"nesting/mixed-line":     of("> - 1) "),
		"nesting/bullet-lines":   of(strings.Repeat("- ", 100) + "a\n"),
		"nesting/tabs":           of("-\t"),
		"nesting/tab-lines":      of("-\ta\n\t-\tb\n\t\t-\tc\n\t\t\t-\td\n"),
		"nesting/deep-then-text": of(strings.Repeat("- ", 100), "a\n", ""),
		"nesting/deep-then-long": of(strings.Repeat("- ", 100)+"a\n", " ", "b"),
		"nesting/deep-blank":     of(strings.Repeat("- ", 100)+"a", "\n", ""),
		"nesting/indented": func(size int) string {
			var b strings.Builder
			for n := 0; b.Len() < size; n++ {
				b.WriteString(strings.Repeat("  ", n) + "- a\n")
			}
			return b.String()
		},

		"block/table-wide": func(size int) string {
			return repeatTo("|a", size/4) + "\n" + repeatTo("|-", size/4) + "\n" + repeatTo("b\n", size/2)
		},
		"block/tables":          of("|a|\n|-|\n\n"),
		"block/delimiter-rows":  of("|-|-|\n"),
		"block/definitions":     of("[a{n}]: /url\n"),
		"block/definitions-gap": of("[a{n}]: /url\n\n"),
		"block/definition-open": of("[a{n}]: /url \"\n"),
		"block/definition-text": of("[a{n}]:\n"),
		"block/one-definition":  of("[a]: /url \"", "x\n", ""),
		"block/labels-used":     of("[a]: /url\n\n- [ ] ", "[a] ", ""),
		"block/labels-unknown":  of("[a]: /url\n\n- [ ] ", "[b{n}] ", ""),
		"block/front-matter":    of("---\na: b\n", "- c\n", ""),
		"block/spaces":          of(" "),
		"block/html-long":       of("<a ", "b ", ""),
		"block/hash":            of("#"),
		"block/dashes":          of("-"),
		"block/setext-long":     of("a\n", "=", " x"),

		"inline/emphasis":         items("*a **a "),
		"inline/emphasis-both":    items("a**b"),
		"inline/emphasis-close":   items("a* "),
		"inline/emphasis-lengths": items("***b**c*d"),
		"inline/emphasis-mixed":   items("*a_b~c "),
		"inline/emphasis-nest":    items("*a ", "b* "),
		"inline/tilde-words":      items("~a ~~b "),
		"inline/brackets":         items("["),
		"inline/bracket-pairs":    items("[", "]"),
		"inline/images":           items("!["),
		"inline/images-links":     items("![", "[a](b)"),
		"inline/links-nest":       items("[", "a](b)"),
		"inline/links-open":       items("[a](b"),
		"inline/links-angle":      items("[a](<b"),
		"inline/links-titles":     items("[a](b \"c[a](b 'd[a](b (e"),
		"inline/links-parens":     items("[a](", "("),
		"inline/references-open":  items("[a][b"),
		"inline/backticks": func(size int) string {
			var b strings.Builder
			b.WriteString("- [ ] ")
			for n := 1; b.Len()+n < maxText; n++ {
				b.WriteString("e" + strings.Repeat("`", n))
			}
			return repeatTo(b.String()+"\n", size)
		},
		"inline/backtick-pairs": items("`a``"),
		"inline/tags-open":      items("<a "),
		"inline/tags-attribute": items("<a b=\""),
		"inline/tags-quotes":    items("<a b=\"c<a b='d"),
		"inline/comments":       items("<!--"),
		"inline/instructions":   items("<?"),
		"inline/declarations":   items("<!A"),
		"inline/urls":           items("<a:b"),
		"inline/emails":         items("<a@b."),
		"inline/entities":       items("&amp;"),
		"inline/entities-open":  items("&abc"),
		"inline/backslashes":    items("\\"),
		"inline/paragraphs":     of(strings.Repeat("a**b", maxText/4) + "\n\n"),
		"inline/short-items":    of("- *a*_b_`c`\n"),
		"inline/controls":       items("\x01 a"),
		"inline/invalid":        items("\xff"),

		"long/emphasis":    item("*a **a "),
		"long/brackets":    item("["),
		"long/backticks":   item("`a``"),
		"long/lines":       of("*a*\n"),
		"long/entities":    item("&amp;"),
		"long/backslashes": item("\\"),
	}
}

// TestRenderMarkdownLongItem renders an item on both sides of the bound up to
// which inline syntax is resolved.
func TestRenderMarkdownLongItem(t *testing.T) {
	const syntax = "**bold** `code` [\\[link\\] &amp;](url)"
	words := strings.Repeat("words ", (maxText-len("[x] "+syntax))/len("words "))
	for _, tt := range []struct{ source, want string }{
		{words + syntax, words + "bold `code` [link] &"},
		{words + "words " + syntax, words + "words **bold** `code` [[link] &](url)"},
	} {
		got := Render([]byte("- [x] " + tt.source))
		want := []Entry{{tt.want, completed}}
		if !slices.Equal(got.Entries, want) {
			t.Errorf("entries are %q, want %q", got.Entries, want)
		}
	}
}

// TestRenderMarkdownLarge renders documents in which every bound is passed.
func TestRenderMarkdownLarge(t *testing.T) {
	for name, document := range largeMarkdown() {
		t.Run(name, func(t *testing.T) {
			checkRendering(t, Render([]byte(document(32<<10))))
		})
	}
}

// BenchmarkRenderMarkdown renders plans of a MiB, and the worst of the hostile
// documents.
func BenchmarkRenderMarkdown(b *testing.B) {
	for name, document := range largeMarkdown() {
		if !strings.HasPrefix(name, "plan/") && name != "inline/bracket-pairs" && name != "nesting/tab-lines" {
			continue
		}
		source := []byte(document(1 << 20))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			b.ReportAllocs()
			for b.Loop() {
				Render(source)
			}
		})
	}
}
