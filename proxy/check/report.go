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
	Editors        map[string]Shown  `json:"editors"` // by kind and by name
	Error          string            `json:"error,omitempty"`

	extension string // see capabilities.Result
}

// Works reports whether editors of both versions can use the agent through the proxy.
func (r *Report) Works() bool { return r.Error == "" }

// report returns the result. notStarted is the error if the agent could not be started. ends means
// that all its processes have exited on their own.
func (c *agentCheck) report(notStarted error, ends bool) (*Report, error) {
	r := &Report{
		Versions: []int{}, Refuses: map[string]string{}, SignIn: []string{}, Stray: []string{}, Ends: ends,
		Editors: make(map[string]Shown),
	}
	for _, e := range editors() {
		r.Editors[e.name] = showsNothing
	}
	for n, a := range c.agents {
		for _, line := range a.stray {
			if n == 0 || !slices.Contains(c.agents[0].stray, line) {
				r.Stray = append(r.Stray, line)
			}
		}
	}
	isAnswered := false
	for version, p := range c.probes {
		if p != nil {
			r.addProbe(version, p)
			isAnswered = isAnswered || p.isAnswered()
		}
	}
	if c.probes[1] == nil || !isAnswered {
		r.Error = c.whyUnanswered(notStarted)
		return r, nil
	}
	slices.Sort(r.Versions)
	vendor := vendors.Known(cmp.Or(r.Agent.Name, r.extension, c.command()))
	if vendor != "" {
		r.Vendor = &vendor
	}
	for _, e := range editors() {
		shown, err := c.watch(e, vendor)
		if err != nil {
			return nil, err
		}
		r.Editors[e.name] = shown
		if version := e.Request().Version; shown.Connection == cannotConnect && r.Error == "" {
			r.Error = fmt.Sprintf("a version %d editor cannot connect: %s", version, c.probes[version].refusal())
		}
	}
	return r, nil
}

// command returns the command line without directories and flags. It identifies agents such as
// Grok that do not send a name.
func (c *agentCheck) command() string {
	var words []string
	for _, word := range c.args {
		if !strings.HasPrefix(word, "-") {
			words = append(words, filepath.Base(word))
		}
	}
	return strings.Join(words, " ")
}

// addProbe adds the response to a request.
func (r *Report) addProbe(version int, p *probe) {
	if p.isAnswered() { // the first request, of version 2, is added last
		ms := p.delay.Milliseconds()
		r.StartMS = &ms
	}
	if !p.agrees() {
		r.Refuses[strconv.Itoa(version)] = p.refusal()
	}
	answered := p.answeredVersion()
	if answered == 0 {
		return
	}
	if !slices.Contains(r.Versions, answered) {
		r.Versions = append(r.Versions, answered)
	}
	result, _ := capabilities.ReadResult(p.result) // read by answeredVersion without an error
	if result.Name != "" {
		r.Agent.Name, r.Agent.Version = logging.Clean(result.Name), logging.Clean(result.Release)
	}
	r.extension = cmp.Or(r.extension, result.Extension)
	r.PlanOperations = r.PlanOperations || result.HasOperations()
	r.addSignIns(p.result)
}

// addSignIns adds the ways to sign in that a response of either version lists.
func (r *Report) addSignIns(result []byte) {
	const maxSignIns = 50
	for o := range rawjson.Objects(rawjson.Get(result, "authMethods"), nil) {
		id, ok := o.Text("id")
		if !ok {
			id, ok = o.Text("methodId")
		}
		if way := logging.Clean(string(id)); ok && len(r.SignIn) < maxSignIns && !slices.Contains(r.SignIn, way) {
			r.SignIn = append(r.SignIn, way)
		}
	}
}

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// Text writes the report for people, in lines of at most width (or 60) characters if words are not
// longer, with colours or without. It does not contain the error.
func (r *Report) Text(w io.Writer, color bool, width int) error {
	width = max(width, 60)
	labelWidth := width * 26 / 100
	table := terminal.NewTable(w, color, labelWidth, (width-labelWidth)/2, width-labelWidth-(width-labelWidth)/2)
	field := func(label string, texts ...string) {
		for _, text := range texts {
			table.Print(terminal.Plain.Line(terminal.Hang(fmt.Sprintf("  %-8s  ", label), text, width)))
			label = ""
		}
	}
	if r.StartMS != nil {
		name := cmp.Or(strings.TrimSpace(r.Agent.Name+" "+r.Agent.Version), "An agent that does not send its name")
		table.Print(terminal.Bold.Line(name))
		table.Print(nil)
		field("answers", "after "+(time.Duration(*r.StartMS)*time.Millisecond).String())
		field("speaks", r.spoken()...)
		field("plans", r.plans())
		field("sign-in", cmp.Or(strings.Join(r.SignIn, ", "), "not required"))
	}
	field("stray", r.Stray...)
	if r.StartMS != nil {
		exits := "when its stdin closes"
		if !r.Ends {
			exits = "not " + exits + ": the proxy ends it after --grace"
		}
		field("exits", exits)
		table.Print(nil)
		r.writeEditors(table)
	}
	return table.Err
}

// writeEditors writes the table of editors. Editors with the same result share a row.
func (r *Report) writeEditors(table *terminal.Table) {
	type group struct {
		kinds, names []string
		shown        Shown
	}
	var groups []*group
	for _, e := range editors() {
		shown := r.Editors[e.name]
		i := slices.IndexFunc(groups, func(g *group) bool { return g.shown == shown })
		if i < 0 {
			i, groups = len(groups), append(groups, &group{shown: shown})
		}
		if g := groups[i]; e.kind != "" {
			g.kinds = append(g.kinds, e.kind)
		} else {
			g.names = append(g.names, e.name)
		}
	}
	row := func(texts ...[]string) {
		var cells [][]terminal.Line
		for column, lines := range texts {
			cells = append(cells, table.Cell(column, terminal.Plain, lines...))
		}
		table.Row(cells...)
	}
	row([]string{"editor"}, []string{"without the proxy"}, []string{"with it"})
	for _, g := range groups {
		label := g.kinds
		if len(g.names) > 0 {
			label = append(label, strings.Join(g.names, ", "))
		}
		without, with := g.shown.lines()
		row(label, without, with)
	}
	if r.Vendor == nil {
		table.Print(nil)
		table.Text("What the agent sends is not known without a prompt. Some agents send texts only to editors that " +
			"announce plan operations: --advertise=always announces them for the others.")
	}
}

// lines returns the cells without the proxy and with it.
func (s Shown) lines() (without, with []string) {
	without = []string{"plans: " + s.Plans.Without, "questions: " + s.Questions.Without}
	with = []string{"plans: " + s.Plans.With, "questions: " + s.Questions.With}
	switch s.Connection {
	case joined:
		return []string{cannotConnect}, append([]string{joined}, with...)
	case cannotConnect:
		return []string{cannotConnect}, []string{cannotConnect}
	}
	return without, with
}

// spoken describes the versions that the agent speaks, and its response to the others.
func (r *Report) spoken() []string {
	text := "no known version of the protocol"
	switch len(r.Versions) {
	case 1:
		text = fmt.Sprintf("version %d", r.Versions[0])
	case 2:
		text = "versions 1 and 2"
	}
	texts := []string{text}
	for _, version := range []string{"1", "2"} {
		if how, refused := r.Refuses[version]; refused {
			texts = append(texts, "asked for version "+version+": "+how)
		}
	}
	return texts
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
