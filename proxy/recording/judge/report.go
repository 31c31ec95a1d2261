package judge

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate/schema"
)

// Options limit the findings that [Report] prints, and choose their form.
type Options struct {
	Side  string   // both, agent or client
	Rules []string // the rules to apply
	JSON  bool
}

// ParseRules parses a list of rules, separated by commas. A rule after "-" is excluded. A list of
// excluded rules selects all other rules. A list that selects no rule is an error.
func ParseRules(text string) (rules []string, err error) {
	var excluded []string
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		rule, isExcluded := strings.CutPrefix(name, "-")
		switch {
		case !slices.Contains(Rules(), rule):
			return nil, fmt.Errorf("%q is not one of %s", rule, strings.Join(Rules(), ", "))
		case isExcluded:
			excluded = append(excluded, rule)
		default:
			rules = append(rules, rule)
		}
	}
	if rules == nil {
		rules = Rules()
	}
	rules = slices.DeleteFunc(rules, func(rule string) bool { return slices.Contains(excluded, rule) })
	if len(rules) == 0 {
		return nil, fmt.Errorf("%q selects no rule", text)
	}
	return rules, nil
}

// Report lints a recording of any form. It prints a line for each finding and one with the counts,
// and returns the number of printed findings.
func Report(out io.Writer, in io.Reader, o Options) (count int, err error) {
	linter, w := NewLinter(new(schema.Drafts)), bufio.NewWriter(out)
	counts := map[string]int{"agent": 0, "client": 0}
	printAll := func(found []Finding) {
		for _, f := range found {
			by := strings.ToLower(string(f.By))
			if _, isSide := counts[by]; !isSide || o.Side != "both" && by != o.Side || !slices.Contains(o.Rules, f.Rule) {
				continue
			}
			counts[by]++
			f.By = trace.Component(by)
			if o.JSON {
				json.NewEncoder(w).Encode(f)
			} else {
				fmt.Fprintf(w, "#%-5d %-6s  %-17s  %s\n", f.Number, by, f.Rule, terminal.Printable(f.Text))
			}
		}
	}
	unreadableCount := 0
	for m, err := range recording.Messages(in, "") {
		if err != nil {
			return 0, err
		}
		if m.Type == "" {
			unreadableCount++
		}
		printAll(linter.Add(&m))
	}
	printAll(linter.End())
	count = counts["agent"] + counts["client"]
	if o.JSON {
		json.NewEncoder(w).Encode(counts)
		return count, w.Flush()
	}
	text := "No findings."
	if count > 0 {
		text = fmt.Sprintf("Findings: agent %d, client %d.", counts["agent"], counts["client"])
	}
	if reason := linter.UnjudgedReason(); reason != "" {
		text += " Not judged: " + reason + "."
	}
	if unreadableCount > 0 {
		text += fmt.Sprintf(" Lines that could not be read: %d.", unreadableCount)
	}
	fmt.Fprintln(w, text)
	return count, w.Flush()
}
