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
	Editors        map[string]string `json:"editors"` // by version
	Error          string            `json:"error,omitempty"`

	signIns   []signIn
	moreStray int // lines that Stray lacks
}

// A signIn is a way to sign in.
type signIn struct{ id, name string }

// Works reports whether an editor of either version can work with the agent.
func (r *Report) Works() bool { return r.Error == "" }

// report says what was found. notStarted is the error if the agent could not be started.
func (i *inquiry) report(notStarted error, ends bool) *Report {
	r := &Report{
		Versions: []int{}, Refuses: map[string]string{}, SignIn: []string{}, Stray: []string{}, Ends: ends,
		Editors: map[string]string{"1": cannotConnect, "2": cannotConnect},
	}
	for _, a := range i.agents {
		r.addStray(a.said)
	}
	heard := false
	for version, q := range i.answers {
		if q != nil {
			r.add(version, q)
			heard = heard || q.raw != nil
		}
	}
	if i.answers[1] == nil || !heard {
		r.Error = i.whyNone(notStarted)
		return r
	}
	slices.Sort(r.Versions)
	if known := vendors.Known(cmp.Or(r.Agent.Name, i.command())); known != "" {
		r.Vendor = &known
	}
	for _, version := range []int{1, 2} {
		what, why := i.gets(version)
		r.Editors[strconv.Itoa(version)] = what
		if why != "" && r.Error == "" {
			r.Error = fmt.Sprintf("a version %d editor cannot connect: %s", version, why)
		}
	}
	return r
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
	if q.raw != nil { // version 2, which is asked for first, comes last
		ms := q.after.Milliseconds()
		r.StartMS = &ms
	}
	if !q.agrees() {
		r.Refuses[strconv.Itoa(version)] = q.refuses()
	}
	if q.raw == nil {
		return
	}
	read := q.reads()
	if read.result == nil {
		return
	}
	if !slices.Contains(r.Versions, read.spoken) {
		r.Versions = append(r.Versions, read.spoken)
	}
	if read.answer.Name != "" {
		r.Agent.Name, r.Agent.Version = logging.Clean(read.answer.Name), logging.Clean(read.answer.Release)
	}
	r.PlanOperations = r.PlanOperations || capabilities.HasOperations(read.result)
	r.addSignIns(read.result)
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
		name, _ := o.Text("name")
		way := signIn{logging.Clean(string(id)), logging.Clean(string(name))}
		if ok && !slices.Contains(r.SignIn, way.id) && len(r.SignIn) < most {
			r.SignIn, r.signIns = append(r.SignIn, way.id), append(r.signIns, way)
		}
	}
}

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// Text writes the report in words, with colours or without.
func (r *Report) Text(w io.Writer, color bool) error {
	p := terminal.Painter(color)
	var b strings.Builder
	if r.StartMS == nil {
		fmt.Fprintf(&b, "%s\n", p.Paint(terminal.Red, r.Error))
		r.writeStray(&b)
		_, err := io.WriteString(w, b.String())
		return err
	}
	name := strings.TrimSpace(r.Agent.Name + " " + r.Agent.Version)
	if name == "" {
		name = "An agent that does not say its name"
	}
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
	r.writeStray(&b)
	if r.Ends {
		row(&b, "its end", "with its stdin")
	} else {
		row(&b, "its end", "not with its stdin: the proxy ends it, after --grace")
	}
	b.WriteByte('\n')
	for _, version := range []string{"1", "2"} {
		what, paint := r.Editors[version], terminal.Green
		switch what {
		case joined:
			what = "is joined with it: each sees its own version"
		case asItIs:
			what = "gets it as it is"
		default:
			paint = terminal.Red
		}
		fmt.Fprintf(&b, "An editor of version %s %s.\n", version, p.Paint(paint, what))
	}
	if r.Error != "" {
		fmt.Fprintf(&b, "\n%s\n", p.Paint(terminal.Red, r.Error))
	}
	_, err := io.WriteString(w, b.String())
	return err
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
	text := "plans; it does not say that it knows plan operations"
	if r.PlanOperations {
		text = "plans, and plan operations"
	}
	if r.Vendor != nil {
		text += "; known for plans in words of its maker (" + *r.Vendor + ")"
	}
	return text
}

func (r *Report) signInWords() string {
	if len(r.signIns) == 0 {
		return "none asked for"
	}
	var ways []string
	for i, way := range r.signIns {
		if i == 5 {
			ways = append(ways, fmt.Sprintf("%d more", len(r.signIns)-i))
			break
		}
		if way.name == "" || way.name == way.id {
			ways = append(ways, way.id)
		} else {
			ways = append(ways, way.name+" ("+way.id+")")
		}
	}
	return strings.Join(ways, ", ")
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
