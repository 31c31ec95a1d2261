package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/transport/rawjson"
)

// A Report is what is known of an agent. Texts of the agent are short and without control
// characters.
type Report struct {
	Agent struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agent"`
	StartMS        *int64            `json:"start_ms"` // to its first answer; nil if there was none
	Versions       []int             `json:"versions"`
	Refuses        map[string]string `json:"refuses"` // how, by version
	PlanOperations bool              `json:"plan_operations"`
	Vendor         *string           `json:"vendor"` // whose words it is known for, if any
	SignIn         []string          `json:"sign_in"`
	Stray          []string          `json:"stray"`
	Ends           bool              `json:"ends"`
	Editors        map[string]Gets   `json:"editors"` // by kind and by name
	Error          string            `json:"error,omitempty"`

	signIns   []string // the same ways with their names
	moreStray int      // lines that Stray lacks
	extension string   // of the agent, see capabilities.Answer
}

// Works reports whether an editor of either version can work with the agent.
func (r *Report) Works() bool { return r.Error == "" }

// report says what was found. notStarted is the error if the agent could not be started.
func (i *inquiry) report(notStarted error, ends bool) (*Report, error) {
	r := &Report{
		Versions: []int{}, Refuses: map[string]string{}, SignIn: []string{}, Stray: []string{}, Ends: ends,
		Editors: make(map[string]Gets),
	}
	for _, e := range editors() {
		r.Editors[e.name] = getsNothing
	}
	for _, a := range i.agents {
		r.addStray(a.said)
	}
	heard := false
	for version, q := range i.answers {
		if q != nil {
			r.add(version, q)
			heard = heard || q.isAnswered()
		}
	}
	if i.answers[1] == nil || !heard {
		r.Error = i.whyNone(notStarted)
		return r, nil
	}
	slices.Sort(r.Versions)
	vendor := vendors.Known(cmp.Or(r.Agent.Name, r.extension, i.command()))
	if vendor != "" {
		r.Vendor = &vendor
	}
	for _, e := range editors() {
		gets, err := i.gets(e, vendor)
		if err != nil {
			return nil, err
		}
		r.Editors[e.name] = gets
		if version := e.Version; gets.Connection == cannotConnect && r.Error == "" {
			r.Error = fmt.Sprintf("a version %d editor cannot connect: %s", version, i.answers[version].refuses())
		}
	}
	return r, nil
}

// addStray adds the lines of a process that are not messages. A line that the process
// before it has written, too, is not repeated.
func (r *Report) addStray(said *messages) {
	before := r.Stray
	for _, line := range said.stray {
		if !slices.Contains(before, line) {
			r.Stray = append(r.Stray, line)
		}
	}
	r.moreStray = max(r.moreStray, said.more)
}

// command returns the words of the command without folders and flags: an agent that does
// not say its name, as Grok, is known by them.
func (i *inquiry) command() string {
	var words []string
	for _, word := range i.args {
		if !strings.HasPrefix(word, "-") {
			words = append(words, filepath.Base(word))
		}
	}
	return strings.Join(words, " ")
}

// add adds what an answer says.
func (r *Report) add(version int, q *question) {
	if q.isAnswered() { // version 2, which is asked for first, comes last
		ms := q.after.Milliseconds()
		r.StartMS = &ms
	}
	if !q.agrees() {
		r.Refuses[strconv.Itoa(version)] = q.refuses()
	}
	spoken := q.spoken()
	if spoken == 0 {
		return
	}
	if !slices.Contains(r.Versions, spoken) {
		r.Versions = append(r.Versions, spoken)
	}
	answer, _ := capabilities.ReadAnswer(q.result) // it could be read
	if answer.Name != "" {
		r.Agent.Name, r.Agent.Version = logging.Clean(answer.Name), logging.Clean(answer.Release)
	}
	r.extension = cmp.Or(r.extension, answer.Extension)
	r.PlanOperations = r.PlanOperations || capabilities.HasOperations(q.result)
	r.addSignIns(q.result)
}

// addSignIns adds the ways to sign in that an answer of either version names.
func (r *Report) addSignIns(result []byte) {
	const most = 50
	answer, _ := rawjson.ReadObject(nil, result)
	for o := range rawjson.Objects(answer.Get("authMethods"), nil) {
		id, ok := o.Text("id")
		if !ok {
			id, ok = o.Text("methodId")
		}
		raw, _ := o.Text("name")
		way, name := logging.Clean(string(id)), logging.Clean(string(raw))
		if !ok || slices.Contains(r.SignIn, way) || len(r.SignIn) == most {
			continue
		}
		r.SignIn = append(r.SignIn, way)
		if name != "" && name != way {
			way = name + " (" + way + ")"
		}
		r.signIns = append(r.signIns, way)
	}
}

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// Text writes the report in words, with colours or without. It does not have the error.
func (r *Report) Text(w io.Writer, color bool) error {
	p := terminal.Painter(color)
	var b strings.Builder
	if r.StartMS != nil {
		name := cmp.Or(strings.TrimSpace(r.Agent.Name+" "+r.Agent.Version), "An agent that does not say its name")
		fmt.Fprintf(&b, "%s\n\n", p.Paint(terminal.Bold, name))
		row(&b, "answers", "after "+(time.Duration(*r.StartMS)*time.Millisecond).String())
		row(&b, "speaks", r.spoken())
		for _, version := range []string{"1", "2"} {
			if how, refused := r.Refuses[version]; refused {
				row(&b, "", "asked for version "+version+": "+how)
			}
		}
		row(&b, "plans", r.plans())
		row(&b, "sign-in", r.signInWords())
	}
	r.writeStray(&b)
	if r.StartMS != nil {
		if r.Ends {
			row(&b, "its end", "with its stdin")
		} else {
			row(&b, "its end", "not with its stdin: the proxy ends it, after --grace")
		}
		r.writeEditors(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeEditors writes what each kind of editor gets. Editors that get the same as others
// are named beside them.
func (r *Report) writeEditors(b *strings.Builder) {
	type group struct {
		kind, names string
		gets        Gets
	}
	var groups []group
	for _, e := range editors() {
		gets := r.Editors[e.name]
		i := slices.IndexFunc(groups, func(g group) bool { return g.gets == gets })
		switch {
		case e.words != "":
			groups = append(groups, group{kind: e.words, gets: gets})
		case i < 0:
			groups = append(groups, group{names: e.name, gets: gets})
		default:
			groups[i].names = strings.TrimPrefix(groups[i].names+", "+e.name, ", ")
		}
	}
	t := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	fmt.Fprint(t, "\neditor\twithout the proxy\twith it\n")
	for _, g := range groups {
		labels := lines{g.kind, g.names}
		if g.kind == "" {
			labels = lines{g.names}
		}
		without, with := g.gets.lines()
		for i, label := range labels {
			if label+without[i]+with[i] != "" {
				fmt.Fprintf(t, "%s\t%s\t%s\n", label, without[i], with[i])
			}
		}
	}
	t.Flush()
	if r.Vendor == nil {
		b.WriteString("\nWhat it sends is known only with a prompt. Some agents send texts only to editors that\n" +
			"announce plan operations: --advertise=always does so for the others.\n")
	}
}

// lines are those of a cell.
type lines [3]string

// lines returns what is shown without the proxy, and with it.
func (g Gets) lines() (without, with lines) {
	without = lines{"plans: " + g.Plans.Without, "questions: " + g.Questions.Without}
	with = lines{"plans: " + g.Plans.With, "questions: " + g.Questions.With}
	switch g.Connection {
	case joined:
		return lines{cannotConnect}, lines{joined, with[0], with[1]}
	case cannotConnect:
		return lines{cannotConnect}, lines{cannotConnect}
	}
	return without, with
}

func row(b *strings.Builder, label, text string) { fmt.Fprintf(b, "  %-8s  %s\n", label, text) }

func (r *Report) spoken() string {
	switch len(r.Versions) {
	case 0:
		return "no version of the protocol that is known here"
	case 1:
		return fmt.Sprintf("version %d", r.Versions[0])
	}
	return "versions 1 and 2"
}

func (r *Report) plans() string {
	switch {
	case r.Vendor != nil:
		return "known for words of its vendor's own (" + *r.Vendor + ")"
	case r.PlanOperations:
		return "it knows plan operations"
	}
	return "it does not say whether it knows plan operations"
}

func (r *Report) signInWords() string {
	const most = 5
	ways := r.signIns
	if more := len(ways) - most; more > 0 {
		ways = append(slices.Clip(ways[:most]), fmt.Sprintf("%d more", more))
	}
	return cmp.Or(strings.Join(ways, ", "), "none asked for")
}

// writeStray writes what the agent has written to stdout outside of messages.
func (r *Report) writeStray(b *strings.Builder) {
	const most = 3
	label := "stray"
	for i, line := range r.Stray {
		if i == most {
			break
		}
		row(b, label, line)
		label = ""
	}
	if more := len(r.Stray) + r.moreStray - most; more > 0 {
		row(b, "", fmt.Sprintf("and %d more lines on stdout that are no messages", more))
	}
}
