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

// A Report describes an agent. Texts from the agent are short and printable.
type Report struct {
	Agent struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agent"`
	StartMS        *int64            `json:"start_ms"` // until the first response; nil if there was none
	Versions       []int             `json:"versions"`
	Refuses        map[string]string `json:"refuses"` // by version
	PlanOperations bool              `json:"plan_operations"`
	Vendor         *string           `json:"vendor"` // nil if the agent is not known for vendor-specific messages
	SignIn         []string          `json:"sign_in"`
	Stray          []string          `json:"stray"`
	Ends           bool              `json:"ends"`
	Editors        map[string]Gets   `json:"editors"` // by kind and by name
	Error          string            `json:"error,omitempty"`

	signIns   []string // SignIn with names
	moreStray int      // lines that are not in Stray
	mcp       string   // transports of MCP servers that version 1 announces, "" if that is not known
	extension string   // see capabilities.Answer
}

// Works reports whether an editor of either version can work with the agent.
func (r *Report) Works() bool { return r.Error == "" }

// report returns the result. notStarted is the error if the agent could not be started.
func (i *inquiry) report(notStarted error, ends bool) (*Report, error) {
	r := &Report{
		Versions: []int{}, Refuses: map[string]string{}, SignIn: []string{}, Stray: []string{}, Ends: ends,
		Editors: make(map[string]Gets),
	}
	for _, e := range editors() {
		r.Editors[e.name] = getsNothing
	}
	for _, a := range i.agents {
		r.addStray(a.output)
	}
	heard := false
	for version, q := range i.probes {
		if q != nil {
			r.add(version, q)
			heard = heard || q.isAnswered()
		}
	}
	if i.probes[1] == nil || !heard {
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
			r.Error = fmt.Sprintf("a version %d editor cannot connect: %s", version, i.probes[version].refusal())
		}
	}
	return r, nil
}

// addStray adds the lines of a process that are not messages, except those that a previous
// process wrote, too.
func (r *Report) addStray(output *messages) {
	before := r.Stray
	for _, line := range output.stray {
		if !slices.Contains(before, line) {
			r.Stray = append(r.Stray, line)
		}
	}
	r.moreStray = max(r.moreStray, output.more)
}

// command returns the command line without directories and flags. It identifies agents such as
// Grok that do not send a name.
func (i *inquiry) command() string {
	var words []string
	for _, word := range i.args {
		if !strings.HasPrefix(word, "-") {
			words = append(words, filepath.Base(word))
		}
	}
	return strings.Join(words, " ")
}

// add adds the response to a request.
func (r *Report) add(version int, q *probe) {
	if q.isAnswered() { // the first request, of version 2, is added last
		ms := q.after.Milliseconds()
		r.StartMS = &ms
	}
	if !q.agrees() {
		r.Refuses[strconv.Itoa(version)] = q.refusal()
	}
	spoken := q.spoken()
	if spoken == 0 {
		return
	}
	if !slices.Contains(r.Versions, spoken) {
		r.Versions = append(r.Versions, spoken)
	}
	answer, _ := capabilities.ReadAnswer(q.result) // spoken has read it
	if answer.Name != "" {
		r.Agent.Name, r.Agent.Version = logging.Clean(answer.Name), logging.Clean(answer.Release)
	}
	r.extension = cmp.Or(r.extension, answer.Extension)
	r.PlanOperations = r.PlanOperations || answer.HasOperations()
	r.mcp = cmp.Or(r.mcp, strings.Join(answer.MCPTransports(), ", "))
	r.addSignIns(q.result)
}

// addSignIns adds the ways to sign in that a response of either version lists.
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

// Text writes the report for people, in lines of at most width characters if words are not
// longer, with colours or without. It does not contain the error.
func (r *Report) Text(w io.Writer, color bool, width int) error {
	t := text{width: max(width, 60)}
	if r.StartMS != nil {
		name := cmp.Or(strings.TrimSpace(r.Agent.Name+" "+r.Agent.Version), "An agent that does not send its name")
		fmt.Fprintf(&t, "%s\n\n", terminal.Painter(color).Paint(terminal.Bold, name))
		t.row("answers", "after "+(time.Duration(*r.StartMS)*time.Millisecond).String())
		t.row("speaks", r.spoken())
		for _, version := range []string{"1", "2"} {
			if how, refused := r.Refuses[version]; refused {
				t.row("", "asked for version "+version+": "+how)
			}
		}
		t.row("plans", r.plans())
		t.row("sign-in", r.signInWords())
		if r.mcp != "" {
			t.row("MCP", r.mcp+"; it may silently drop servers with another transport")
		}
	}
	r.writeStray(&t)
	if r.StartMS != nil {
		if r.Ends {
			t.row("exits", "when its stdin closes")
		} else {
			t.row("exits", "not when its stdin closes: the proxy ends it after --grace")
		}
		r.writeEditors(&t)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// text builds a report of a limited width.
type text struct {
	strings.Builder
	width int
}

func (t *text) row(label, words string) {
	const indent = 12
	for _, line := range terminal.Wrap(words, t.width-indent) {
		fmt.Fprintf(t, "  %-8s  %s\n", label, line)
		label = ""
	}
}

// columns writes three cells side by side and wraps their lines.
func (t *text) columns(label, without, with []string) {
	const gap = 3
	first := t.width * 26 / 100
	second := (t.width - first) / 2
	wrap := func(lines []string, width int) (wrapped []string) {
		for _, line := range lines {
			wrapped = append(wrapped, terminal.Wrap(line, width)...)
		}
		return wrapped
	}
	label, without, with = wrap(label, first-gap), wrap(without, second-gap), wrap(with, t.width-first-second)
	line := func(lines []string, i int) string {
		if i < len(lines) {
			return lines[i]
		}
		return ""
	}
	for i := range max(len(label), len(without), len(with)) {
		fmt.Fprintln(t, strings.TrimRight(fmt.Sprintf("%-*s%-*s%s", first, line(label, i), second, line(without, i), line(with, i)), " "))
	}
}

// writeEditors writes the table of editors. Editors with the same result share a row.
func (r *Report) writeEditors(t *text) {
	type group struct {
		kinds, names []string
		gets         Gets
	}
	var groups []*group
	for _, e := range editors() {
		gets := r.Editors[e.name]
		i := slices.IndexFunc(groups, func(g *group) bool { return g.gets == gets })
		if i < 0 {
			i, groups = len(groups), append(groups, &group{gets: gets})
		}
		if g := groups[i]; e.kind != "" {
			g.kinds = append(g.kinds, e.kind)
		} else {
			g.names = append(g.names, e.name)
		}
	}
	t.WriteByte('\n')
	t.columns([]string{"editor"}, []string{"without the proxy"}, []string{"with it"})
	for _, g := range groups {
		without, with := g.gets.lines()
		label := g.kinds
		if len(g.names) > 0 {
			label = append(label, strings.Join(g.names, ", "))
		}
		t.columns(label, without, with)
	}
	if r.Vendor == nil {
		fmt.Fprintf(t, "\n%s\n", strings.Join(terminal.Wrap("What the agent sends is not known without a prompt. Some agents send texts only to editors that "+
			"announce plan operations: --advertise=always announces them for the others.", t.width), "\n"))
	}
}

// lines returns the cells without the proxy and with it.
func (g Gets) lines() (without, with []string) {
	without = []string{"plans: " + g.Plans.Without, "questions: " + g.Questions.Without}
	with = []string{"plans: " + g.Plans.With, "questions: " + g.Questions.With}
	switch g.Connection {
	case joined:
		return []string{cannotConnect}, append([]string{joined}, with...)
	case cannotConnect:
		return []string{cannotConnect}, []string{cannotConnect}
	}
	return without, with
}

func (r *Report) spoken() string {
	switch len(r.Versions) {
	case 0:
		return "no known version of the protocol"
	case 1:
		return fmt.Sprintf("version %d", r.Versions[0])
	}
	return "versions 1 and 2"
}

func (r *Report) plans() string {
	switch {
	case r.Vendor != nil:
		return "in its vendor's own format (" + *r.Vendor + ")"
	case r.PlanOperations:
		return "plan operations"
	}
	return "not known: the agent does not announce plan operations"
}

func (r *Report) signInWords() string {
	const most = 5
	ways := r.signIns
	if more := len(ways) - most; more > 0 {
		ways = append(slices.Clip(ways[:most]), fmt.Sprintf("%d more", more))
	}
	return cmp.Or(strings.Join(ways, ", "), "not required")
}

// writeStray writes the first lines on stdout that are not messages.
func (r *Report) writeStray(t *text) {
	const most = 3
	label := "stray"
	for _, line := range r.Stray[:min(most, len(r.Stray))] {
		t.row(label, line)
		label = ""
	}
	if more := len(r.Stray) + r.moreStray - most; more > 0 {
		t.row("", fmt.Sprintf("and %d more lines on stdout that are not messages", more))
	}
}
