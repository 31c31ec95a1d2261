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

// goldenEntries returns a Rendering in the form of the files "entries".
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

// TestRenderGolden renders the plans in testdata/plans. The comment of a file may contain
// "crlf", for Windows line ends, or "cut", for a plan without a newline at its end, which
// txtar cannot represent.
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

// checkRendering checks the properties of every Rendering.
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
	for _, e := range r.Entries {
		line("content", e.Content)
		if e.Content == "" {
			t.Error("an entry is empty")
		}
		if !slices.Contains([]string{pending, inProgress, completed}, e.Status) {
			t.Errorf("status %q", e.Status)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, plan := range goldenPlans(f) {
		f.Add(plan)
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

// longItem is how long the items of some of the large documents are, in bytes.
const longItem = 4 << 10

// largeMarkdown returns plans of a given size. The time to render them is linear in the size.
// Those without "plan/" in their name are the worst cases of some construct.
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
	// Long items, and many of them.
	items := func(units ...string) func(int) string {
		text := "- [ ] "
		for _, unit := range units {
			text += strings.Repeat(unit, (longItem-len("- [ ] ")-1)/len(units)/len(unit))
		}
		return of(text + "\n")
	}
	return map[string]func(int) string{
		"plan/checklist": of("- [ ] write the lexer for the **grammar** and run `go test ./...`\n"),
		"plan/nested":    of("- [ ] first of {n}\n  - [x] second, see [the notes](docs/n.md)\n    - [ ] third one is deeper\n"),
		"plan/loose":     of("- [ ] task {n}: rename the columns in the _users_ table\n\n"),
		"plan/prose":     of("This paragraph tells why the *parser* is there and what it does to [links](http://x).\nAnd a line.\n\n"),
		"plan/headings":  of("## Phase {n}: move the handlers\n\nSome prose about that phase.\n\n"),
		"plan/code":      of("```go\nfunc main() {\n\tfmt.Println(\"- [ ] no\")\n}\n```\n\n1. then do this\n\n"),
		"plan/table":     of("| step | owner |\n|---|---|\n", "| lexer {n} | ann |\n", ""),
		"plan/one-item":  item("words and *more* words with `code` and _such_ things "),
		"plan/front":     of("---\ntodos:\n  - content: ", "a text\n      of many lines\n      ", "\n---\n"),
		"short/tasks":    of("- [ ] x\n"),
		"short/nested":   of("- a\n  - b\n    - c\n"),
		"short/headings": of("# a\n"),
		"short/blank":    of("\n"),
		"short/setext":   of("a\n-\n"),
		"short/ordered":  of("1. a\n"),
		"short/quotes":   of("> a\n\n"),
		"short/fences":   of("```\n```\n"),
		"short/pre":      of("<pre>\n", "x\n", ""),

		"nesting/bullets-line":   of("- "),
		"nesting/bullets-end":    of("", "- ", "x"),
		"nesting/ordered-line":   of("1. "),
		"nesting/quotes-line":    of(">"),
		"nesting/mixed-line":     of("> - 1) "),
		"nesting/bullet-lines":   of(strings.Repeat("- ", 100) + "a\n"),
		"nesting/tabs":           of("-\t"),
		"nesting/tab-lines":      of("-\ta\n\t-\tb\n\t\t-\tc\n\t\t\t-\td\n"),
		"nesting/deep-then-text": of(strings.Repeat("- ", 100), "a\n", ""),
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
		"block/delimiter-rows":  of("|-|-|\n"),
		"block/definitions":     of("[a{n}]: /url\n"),
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

		"inline/emphasis":        items("*a **a "),
		"inline/emphasis-both":   items("a**b"),
		"inline/emphasis-close":  items("a* "),
		"inline/emphasis-mixed":  items("*a_b~c "),
		"inline/emphasis-nest":   items("*a ", "b* "),
		"inline/tilde-words":     items("~a ~~b "),
		"inline/brackets":        items("["),
		"inline/bracket-pairs":   items("[", "]"),
		"inline/images":          items("!["),
		"inline/links-nest":      items("[", "a](b)"),
		"inline/links-open":      items("[a](b"),
		"inline/links-angle":     items("[a](<b"),
		"inline/links-titles":    items("[a](b \"c[a](b 'd[a](b (e"),
		"inline/links-parens":    items("[a](", "("),
		"inline/references-open": items("[a][b"),
		"inline/backticks": func(size int) string {
			var b strings.Builder
			b.WriteString("- [ ] ")
			for n := 1; b.Len()+n < longItem; n++ {
				b.WriteString("e" + strings.Repeat("`", n))
			}
			return repeatTo(b.String()+"\n", size)
		},
		"inline/backtick-pairs": items("`a``"),
		"inline/tags-attribute": items("<a b=\""),
		"inline/tags-quotes":    items("<a b=\"c<a b='d"),
		"inline/comments":       items("<!--"),
		"inline/instructions":   items("<?"),
		"inline/declarations":   items("<!A"),
		"inline/urls":           items("<a:b"),
		"inline/entities":       items("&amp;"),
		"inline/backslashes":    items("\\"),
		"inline/controls":       items("\x01 a"),
		"inline/invalid":        items("\xff"),

		"rule/phases":       of("## Phase {n}\n\n- a\n\n"),
		"rule/tasks":        of("## Phase {n}\n\n### Task {n}: a\n- [ ] b\n\n"),
		"rule/sections":     of("## Area {n}\n- [ ] a\n- [x] b\n"),
		"rule/bold":         of("**Step {n}:** do it\n\n"),
		"rule/levels":       of("# a\n## b\n### c\n#### d\n##### e\n###### f\n- g\n"),
		"rule/parts":        of("- [ ] {n}. a\n- [ ] {n}.1 b\n"),
		"rule/runs-on":      of("{n}. a\n\n## b\n\n"),
		"rule/status-table": of("| Step | Status |\n|---|---|\n", "| a {n} | done |\n", ""),
		"rule/todos":        of("---\ntodos:\n", "  - content: a {n}\n    status: done\n", "---\n"),
		"rule/xml":          of("<tasks>\n", "<task><name>a</name>\n", ""),
		"rule/names":        of("## 実装の計画とテストの手順と設計の概要\n\n- あ\n\n"),
	}
}

// TestRenderLarge renders documents of every kind.
func TestRenderLarge(t *testing.T) {
	for name, document := range largeMarkdown() {
		t.Run(name, func(t *testing.T) {
			checkRendering(t, Render([]byte(document(32<<10))))
		})
	}
}

// BenchmarkRender renders plans and hostile documents of a MiB.
func BenchmarkRender(b *testing.B) {
	for name, document := range largeMarkdown() {
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

// TestStatuses checks the forms of the status of a step.
func TestStatuses(t *testing.T) {
	for _, tt := range []struct{ step, want string }{
		{"- Parser ✅", completed},
		{"- ✅ Parser", completed},
		{"- [ ] Parser ✅", pending}, // the box counts
		{"- Parser (completed)", completed},
		{"- Parser **[DONE]**", completed},
		{"- Parser — done", completed},
		{"- Parser: in progress", inProgress},
		{"- 🔄 Parser", inProgress},
		{"- Parser (WIP)", inProgress},
		{"- Analyse (erledigt)", completed},
		{"- Analyse (in Arbeit)", inProgress},
		{"- Lexique (terminé)", completed},
		{"- Lexique (en cours)", inProgress},
		{"- Análisis (hecho)", completed},
		{"- Léxico (concluído)", completed},
		{"- Léxico (em andamento)", inProgress},
		{"- Разбор (готово)", completed},
		{"- Разбор (в работе)", inProgress},
		{"- 解析（已完成）", completed},
		{"- 解析（进行中）", inProgress},
		{"- 構文解析（完了）", completed},
		{"- 구문 분석 (완료)", completed},
		{"- 구문 분석 (진행 중)", inProgress},
		{"- Get the parser done", pending},
		{"- Show what is not done (yet)", pending},
		{"- Complete the parser", pending},
		{"- Done: a page for it", pending},
		{"- [-] Parser", inProgress},
		{"- [x] Parser\n  - [ ] tests", completed},
		{"- [ ] Parser\n  - [x] lexer\n  - [ ] tests", inProgress},
		{"- [ ] Parser\n  - [x] lexer\n  - [x] tests", completed},
		{"- [ ] Parser\n  - [~] lexer", inProgress},
		{"- Parser\n  - [x] lexer\n- Linker", completed},
		{"- [ ] 1. Parser\n- [x] 1.1 lexer\n- [ ] 1.2 tests\n- [ ] 2. Linker", inProgress},
		{"## Phase 1\n- a\n\n## Phase 2 (completed)\n- b", pending},
		{"## Task 1: a\n- [x] a\n- [x] b\n\n## Task 2: b\n- [ ] b", completed},
		{"## Task 1: a\n- [x] a\n- [ ] b\n\n## Task 2: b\n- [ ] b", inProgress},
		{"## Phase 1 ✅\ntext\n\n## Phase 2\ntext", completed},
		{"| Step | Status |\n|---|---|\n| lexer | ✅ Done |\n| parser | open |", completed},
		{"| 任务 | 状态 |\n|---|---|\n| 词法 | 进行中 |\n| 语法 | |", inProgress},
	} {
		r := Render([]byte(tt.step))
		if len(r.Entries) == 0 || r.Entries[0].Status != tt.want {
			t.Errorf("%q: %+v, want %s first", tt.step, r.Entries, tt.want)
		}
	}
}

// TestWithoutStatuses compares texts without their statuses.
func TestWithoutStatuses(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"- [ ] a", "- [x] a", true},
		{"1. [-] a\n\n 2) b", "1. a\n2) b\n", true},
		{"## Phase 1 ✅\n", "## Phase 1", true},
		{"- ⬜ a\n", "- ☑\ufe0f a", true},
		{"### Parse (in progress)", "### Parse (done)", true},
		{"### 解析（已完成）", "### 解析", true},
		{"Parse - pending", "Parse — completed", true},
		{"**Status:** not started", "**Status:** 2 of 3 done", true},
		{"- 状态：待开始", "- 状态：已写完一半", true},
		{"---\ntodos:\n  - content: a\n    status: pending\n---", "---\ntodos:\n  - content: a\n    status: in_progress\n---", true},
		{"| a | todo | x |", "| a | ✅ done | x |", true},

		{"- [ ] a", "- [ ] b", false},
		{"- [ ] a", "- [ ] a\n- [ ] b", false},
		{"Ports: open 80", "Ports: open 81", false},
		{"Status of the release page: red", "Status of the release page: blue", false},
		{"Parse (quickly)", "Parse", false},
		{"a[0]", "a[1]", false},
		{"| done by Ann |", "| done by Bob |", false},
		{"- [x](a)", "- [x](b)", false},
		{"3. a", "4. a", false},
	} {
		if same := string(WithoutStatuses([]byte(tt.a))) == string(WithoutStatuses([]byte(tt.b))); same != tt.same {
			t.Errorf("%q and %q: same is %t", tt.a, tt.b, same)
		}
	}
}

// TestFirstStep checks plans that the golden files lack, most of them with dozens of boxes.
func TestFirstStep(t *testing.T) {
	sections := func(count, boxes int, name string) string {
		var b strings.Builder
		for i := range count {
			fmt.Fprintf(&b, "## %s\n\n", strings.ReplaceAll(name, "{n}", fmt.Sprint(i+1)))
			for j := range boxes {
				fmt.Fprintf(&b, "- [ ] do %d\n", j)
			}
		}
		return b.String()
	}
	for _, tt := range []struct {
		plan  string
		want  int
		first string
	}{
		{sections(5, 5, "Area {n}"), 25, "do 0"},
		{sections(5, 6, "Area {n}"), 5, "Area 1"},
		{sections(2, 30, "Part of the work"), 2, "Part of the work"},
		{sections(3, 2, "Task {n}"), 3, "Task 1"},
		{sections(40, 8, "Area number {n}"), 40, "Area number 1"},
		{sections(1, 60, "Everything"), 50, "do 0"},
		{"<tasks>\n<task type=\"auto\">\n<name>a &amp; b</name>\n</task>\n<task><n>c</n></task>\n<task><name></name></task>\n</tasks>\n\n- d", 2, "a & b"},
		{sections(3, 0, "{n}. Area\n### 1. Part\n"+strings.Repeat("- [ ] do\n", 12)), 3, "1. Part"},
		{"# Plan\n\n" + sections(6, 1, "Verification"), 6, "do 0"},
		{"## 1. Parse\n- [ ] a\n\n## 2. Verification\n- [ ] b\n\n## 3. Ship\n- [ ] c", 3, "a"},
		{"## 1. Parse\na\n\n## 2. Ship\nb\n\n## 3. Verification\n- [ ] c\n- [ ] d\n- [ ] e", 3, "1. Parse"},
		{"| Step | Status |\n|---|---|\n| lexer | open |\n| parser | |\n| rest | |\n\n1. write it\n2. check it\n3. ship it", 3, "lexer"},
		{"| Status | Step |\n|---|---|\n| open | lexer |\n| | parser |\n| | rest |\n\n1. write it\n2. check it\n3. ship it", 3, "lexer"},
		{"| Step | Owner |\n|---|---|\n| lexer | Ann |\n| parser | |\n| rest | |\n\n1. write it\n2. check it\n3. ship it", 3, "write it"},
		{"## Steps\n\n### Parser\n1. read it\n2. check it\n3. ship it\n\n### Lexer\n1. read it\n2. check it\n3. ship it", 2, "Parser"},
		{"## 1단계: 분석\n1. a\n2. b\n3. c\n\n## 2단계: 구현\nd", 2, "1단계: 분석"},
		{"## 任务一：分析\n1. a\n2. b\n3. c\n\n## 任务二：实现\nd", 2, "任务一：分析"},
	} {
		es := Render([]byte(tt.plan)).Entries
		if len(es) != tt.want || es[0].Content != tt.first {
			t.Errorf("%.40q…: %d entries, the first %q; want %d, %q", tt.plan, len(es), es[0].Content, tt.want, tt.first)
		}
	}
}

// goldenPlans returns the texts of the golden plans, by file.
func goldenPlans(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/plans/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no plans: %v", err)
	}
	plans := make(map[string][]byte)
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		plans[name] = archive.Files[0].Data
	}
	return plans
}

// TestNumberOf checks names without spaces.
func TestNumberOf(t *testing.T) {
	for name, want := range map[string]number{
		"任务一：分析": {taskUnit, "任务", "一"},
		"第三阶段":   {groupUnit, "阶段", "三"},
		"阶段":     {},
	} {
		if got := numberOf(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int]int{1: -4, 2: 0, 3: 2, 15: 2, 16: 0, 25: 0, 26: -3} {
		if got := pointsForSize(n); got != want {
			t.Errorf("%d entries: %d points, want %d", n, got, want)
		}
	}
}

func TestFallback(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"# Plan\n\n- read\n- write\n", false},
		{"- [ ] read\n", false},
		{"1. read\n", false},
		{"# Plan\n\nFirst some words.\n", true},
		{"# Plan\n\n## Parser\n\n## Lexer\n", true},
		{"# Plan\n", false}, // no entries at all
		{"words\n\n| Step | Status |\n|---|---|\n| lexer | open |\n| parser | |\n", false},
		{"words\n\n| Step | Status |\n|---|---|\n| lexer | open |\n", true}, // one row
		{"words\n\n| Step |\n|---|\n| lexer |\n| parser |\n", true},         // one column
	} {
		if got := Render([]byte(tt.text)).Fallback; got != tt.want {
			t.Errorf("%q: fallback %t, want %t", tt.text, got, tt.want)
		}
	}
}
