package markdown

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// growing renders a text part by part and returns what is shown after each: the contents
// with a space between, what stays included. Later is what the whole shows, if that is
// not the same.
func growing(parts ...string) (shown []string, later string) {
	var g Growth
	var text []byte
	last := ""
	for _, part := range parts {
		text = append(text, part...)
		var r Rendering
		if r, g = RenderGrowing(text, g); !r.Unclear {
			last = contents(r.Entries)
		}
		shown = append(shown, last)
	}
	if later = contents(Render(text).Entries); later == last {
		later = ""
	}
	return shown, later
}

func contents(es []Entry) string {
	var b strings.Builder
	for i, e := range es {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(e.Content)
	}
	return b.String()
}

// boxesIn are sections with boxes.
func boxesIn(name string, from, to, boxes int) string {
	var b strings.Builder
	for s := from; s <= to; s++ {
		fmt.Fprintf(&b, "## %s %d\n", name, s)
		for i := range boxes {
			fmt.Fprintf(&b, "- [ ] box%d.%d\n", s, i)
		}
	}
	return b.String()
}

// TestRenderGrowing tells what stays and what gives way while a text is written, and
// what the text shows once it is complete.
func TestRenderGrowing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parts []string
		want  []string
		later string
	}{
		{
			"a list grows", []string{"# Plan\n- first\n", "- second\n", "- third\n"},
			[]string{"first", "first second", "first second third"}, "",
		}, {
			"half a line waits", []string{"# Plan\n- [ ] first\n- [ ] run `", "go test`", " twice\n- [ ] th", "ird"},
			[]string{"first run `", "first", "first run `go test` twice", "first run `go test` twice"}, "first run `go test` twice third",
		}, {
			"a single paragraph waits", []string{"# Plan\nWords.\n"}, []string{""}, "Words.",
		}, {
			"a single heading waits", []string{"# Plan\n## Parser\n| a |\n|---|\n"}, []string{""}, "Parser",
		}, {
			"paragraphs that come at once are shown", []string{"# Plan\nWords.\n\nMore.\n"}, []string{"Words. More."}, "",
		}, {
			"in a text that has grown they wait", []string{"# Plan\n", "Words.\n\nMore.\n"}, []string{"", ""}, "Words. More.",
		}, {
			"a list in a section that says nothing waits", []string{"# Plan\n## Parser\n", "- fast\n- small\n- right\n"},
			[]string{"", ""}, "fast small right",
		}, {
			"one in a section named for steps does not", []string{"# Plan\n## Steps\n", "- fast\n", "- small\n"},
			[]string{"", "fast", "fast small"}, "",
		}, {
			"a list stays beside an equal one",
			[]string{"# Plan\n1. lexer\n2. parser\n", "## Parser\n1. tables\n2. errors\n3. tests\n4. words\n"},
			[]string{"lexer parser", "lexer parser"}, "tables errors tests words",
		}, {
			"and gives way to steps", []string{"# Plan\n1. lexer\n2. parser\n", "## Steps\n1. tables\n2. errors\n"},
			[]string{"lexer parser", "tables errors"}, "",
		}, {
			"which give way to the plan's own checklist",
			[]string{"## Steps\n1. lexer\n2. parser\n", "## Progress\n- [ ] lexed\n- [ ] parsed\n"},
			[]string{"lexer parser", "lexed parsed"}, "",
		}, {
			"which stays whatever comes", []string{"- [ ] lexed\n- [ ] parsed\n", "## Steps\n1. lexer\n"},
			[]string{"lexed parsed", "lexed parsed"}, "",
		}, {
			"boxes give way to the headings above when they are many", []string{boxesIn("Part", 1, 2, 8), boxesIn("Part", 3, 4, 8)},
			[]string{strings.TrimSuffix(strings.Join(boxNames(2, 8), " "), " "), "Part 1 Part 2 Part 3 Part 4"}, "",
		}, {
			"and headings stay when others come below",
			[]string{boxesIn("Part", 1, 4, 8), "## Part 5\n### Task 1\nText.\n### Task 2\nText.\n", "### Task 3\nText.\n"},
			[]string{"Part 1 Part 2 Part 3 Part 4", "Part 1 Part 2 Part 3 Part 4 Part 5", "Part 1 Part 2 Part 3 Part 4 Part 5"}, "",
		}, {
			"another text is another list", []string{"# Plan\n1. lexer\n2. parser\n", "\x00"}, []string{"lexer parser", "lexer parser"}, "",
		}, {
			"to-dos in front matter are said outright", []string{"---\ntodos:\n  - content: lexer\n", "  - content: parser\n---\n", "- [ ] other\n"},
			[]string{"lexer", "lexer parser", "lexer parser"}, "",
		}, {
			"half of the only to-do stays until it is whole", []string{"---\ntodos:\n  - content: lex", "e", "r\n"}, []string{"lex", "lex", "lexer"}, "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shown, later := growing(tt.parts...)
			if !slices.Equal(shown, tt.want) || later != tt.later {
				t.Errorf("shown %q, later %q; want %q, %q", shown, later, tt.want, tt.later)
			}
		})
	}
}

func boxNames(sections, boxes int) (names []string) {
	for s := range sections {
		for i := range boxes {
			names = append(names, fmt.Sprintf("box%d.%d", s+1, i))
		}
	}
	return names
}

// TestRenderWhole goes on from a text that has been shown whole.
func TestRenderWhole(t *testing.T) {
	text := "# T\n## Area\nOne.\n"
	_, g := RenderGrowing([]byte(text), Growth{})
	text += "\nTwo.\n"
	if r, _ := RenderGrowing([]byte(text), g); len(r.Entries) > 0 {
		t.Fatalf("%+v", r)
	}
	r, g := RenderWhole([]byte(text))
	if contents(r.Entries) != "One. Two." {
		t.Fatalf("%+v", r)
	}
	r, _ = RenderGrowing([]byte(text+"\nThree.\n"), g)
	if contents(r.Entries) != "One. Two. Three." {
		t.Errorf("%+v", r)
	}
}

// checkGrowing checks what must hold of any text however it is cut.
func checkGrowing(t *testing.T, source []byte, cuts ...int) {
	t.Helper()
	var g Growth
	var r Rendering
	for i, end := range append(cuts, len(source)) {
		before := g
		r, g = RenderGrowing(source[:end], g)
		checkRendering(t, r)
		read := source[:end]
		if before.begun {
			read = read[:bytes.LastIndexByte(read, '\n')+1]
		}
		alone := Render(read)
		if len(alone.Entries) == 0 && len(r.Entries) > 0 || r.Title != alone.Title {
			t.Fatalf("%q, part %d: %+v, alone %+v", source[:end], i, r, alone)
		}
		if words := bytes.ContainsFunc(source[:end], isLetterOrDigit); r.Unclear != (words && len(r.Entries) == 0) {
			t.Fatalf("%q: unclear %t", source[:end], r.Unclear)
		}
	}
}

// TestGrowingPlans cuts the golden plans anywhere.
func TestGrowingPlans(t *testing.T) {
	for _, source := range goldenPlans(t) {
		var lines, bytesOf []int
		for i := range source {
			bytesOf = append(bytesOf, i)
			if source[i] == '\n' {
				lines = append(lines, i+1)
			}
		}
		checkGrowing(t, source, lines...)
		checkGrowing(t, source, bytesOf...)
	}
}

func FuzzRenderGrowing(f *testing.F) {
	for _, plan := range goldenPlans(f) {
		f.Add(plan, 3)
	}
	f.Fuzz(func(t *testing.T, source []byte, parts int) {
		if parts < 1 || parts > 20 {
			return
		}
		var cuts []int
		for i := range parts {
			end := len(source) * i / parts
			if i%2 == 0 {
				end = bytes.LastIndexByte(source[:end], '\n') + 1
			}
			cuts = append(cuts, end)
		}
		slices.Sort(cuts)
		checkGrowing(t, source, cuts...)
	})
}
