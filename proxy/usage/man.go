package usage

import (
	"fmt"
	"slices"
	"strings"
)

// Man returns the page for section 1 of the manual, in roff.
func (p *Program) Man() string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(title)) }

	fmt.Fprintf(&b, ".TH %s 1 \"%s\" \"%s\"\n", strings.ToUpper(p.Name), p.Date, roff(p.Name+" "+p.Version))
	section("Name")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(p.Name), roff(p.Summary))
	section("Synopsis")
	for i, c := range p.Commands {
		if i > 0 {
			b.WriteString(".br\n")
		}
		fmt.Fprintf(&b, "\\fB%s\\fR %s\n", roff(p.call(c)), roff(c.Args))
	}
	section("Description")
	b.WriteString(paragraphs(p.Description))

	section("Commands")
	for i, c := range p.Commands {
		if i == 0 {
			fmt.Fprintf(&b, ".TP\nwithout one\n%s\n", roff(c.Summary))
			continue
		}
		var names []string
		for _, f := range c.flags() {
			names = append(names, f.name)
		}
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s; takes\n%s\n", roff(c.Name), roff(c.Summary), roff(strings.Join(names, ", ")))
	}
	b.WriteString(".PP\n" + paragraphs(p.Dashes))

	section("Options")
	usual := p.Commands[0].flags()
	writeFlags(&b, usual)
	for _, c := range p.Commands[1:] {
		own := slices.DeleteFunc(c.flags(), func(f flag) bool {
			return slices.ContainsFunc(usual, func(u flag) bool { return u.name == f.name && u.help == f.help })
		})
		if len(own) > 0 {
			fmt.Fprintf(&b, ".SS Of %s\n", roff(c.Name))
			writeFlags(&b, own)
		}
	}
	section("Environment")
	b.WriteString(paragraphs(p.Environment))
	for _, s := range p.Sections {
		section(s.Title)
		b.WriteString(paragraphs(s.Text))
	}
	return b.String()
}

func writeFlags(b *strings.Builder, flags []flag) {
	for _, f := range flags {
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(f.name))
		if f.value != "" {
			fmt.Fprintf(b, "=\\fI%s\\fR", roff(f.value))
		}
		help := f.help
		if f.standard != "" {
			help += " (default " + f.standard + ")"
		}
		b.WriteString("\n" + paragraphs(help))
	}
}

// paragraphs writes a text of [Program].
func paragraphs(text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		after := ""
		if strings.HasPrefix(paragraph, " ") {
			b.WriteString(".RS 4\n.nf\n")
			after = ".fi\n.RE\n"
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			b.WriteString(roff(strings.TrimSpace(line)) + "\n")
		}
		b.WriteString(after)
	}
	return b.String()
}

// roff escapes a line of text.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.IndexAny(s, ".'") == 0 {
		s = `\&` + s // not a request
	}
	return s
}
