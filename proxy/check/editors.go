package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"acp-plan-proxy/proxy/demo"
)

// An editor is a row of the report.
type editor struct {
	demo.Client
	name string
	kind string // its label; empty for an editor of package settings, whose name is its label
}

// editors returns the kinds of editors with different initialize requests, and the editors of
// package settings with their requests as far as the proxy reads them.
func editors() []editor {
	row := func(name, kind, hello string) editor { return editor{demo.Client{Hello: hello}, name, kind} }
	companion := row("codecompanion", "", version1("CodeCompanion.nvim", "1.0.0", ""))
	companion.NoPanel = true
	return []editor{
		row("1", "version 1, lists only", version1("editor", "1", "")),
		row("1+plan", "version 1, plan operations", version1("editor", "1", `"plan":{}`)),
		row("2", "version 2", `{"protocolVersion":2,"info":{"name":"editor","version":"1"},"capabilities":{}}`),

		row("zed", "", version1("zed", "1", `"terminal":true,"elicitation":{"form":{}}`)),
		row("jetbrains", "", version1("JetBrains", "1", "")),
		row("avante", "", `{"protocolVersion":1,"clientCapabilities":{}}`),
		companion,
		row("agent-shell", "", version1("agent-shell", "0.74.3", "")),
		row("obsidian", "", version1("obsidian-agent-client", "1", "")),
		row("acpx", "", version1("acpx", "0.19.1", "")),
		row("toad", "", version1("toad", "0.6.18", `"terminal":true`)),
	}
}

func version1(name, release, capabilities string) string {
	return fmt.Sprintf(`{"protocolVersion":1,"clientInfo":{"name":%q,"version":%q},"clientCapabilities":{%s}}`, name, release, capabilities)
}

// A sample is a built-in recording with plans or questions of some kind.
type sample struct{ recording, kind string }

// vendorSamples returns the samples of agents with vendor-specific messages, by vendor. Other agents
// may send plans as in any of usualSamples.
func vendorSamples() map[string][]sample {
	return map[string][]sample{
		"opencode": {todos},
		"kilo":     {todos},
		"cursor":   {todos, approvals, questions},
		"grok":     {lists, approvals, questions},
	}
}

// The samples.
var (
	usualSamples = []sample{lists, {"items-plan", "lists with ids"}, {"markdown-plan", "texts"}}
	lists        = sample{"legacy-plan", "lists"}
	todos        = sample{"opencode-todos", "todos"}
	approvals    = sample{"cursor-plan", "plans to approve"}
	questions    = sample{recording: "cursor-question"}
)

// Shown describes what an editor shows of an agent.
type Shown struct {
	Connection string `json:"connection"`
	Plans      Change `json:"plans"`
	Questions  Change `json:"questions"`
}

// A Change compares an editor without the proxy and with it.
type Change struct {
	Without string `json:"without"`
	With    string `json:"with"`
}

// The values of Shown.Connection, and of a Change.
const (
	asItIs        = "as it is"
	joined        = "joined"
	cannotConnect = "cannot connect"

	none       = "none"
	noForms    = "none, as the editor has no forms"
	asRequests = "permission requests with --forms=ask, otherwise none"
)

var showsNothing = Shown{cannotConnect, Change{none, none}, Change{none, none}}

// watch plays the samples of a vendor, or the usual ones, to an editor, with the responses of this
// agent to initialize, and describes what the editor shows.
func (c *agentCheck) watch(e editor, vendor string) (Shown, error) {
	samples, isKnownVendor := vendorSamples()[vendor]
	questionChange := Change{none, none}
	if !isKnownVendor {
		samples, questionChange = usualSamples, e.formQuestions()
	}
	request := e.Request()
	connected := false
	var without, with []string
	handshake := c.handshake()
	for _, s := range samples {
		direct, proxied, err := demo.Watch(handshake, s.recording, e.Client, c.options)
		if err != nil {
			return showsNothing, err
		}
		connected = proxied.Connected
		if s == questions && proxied.Asked {
			questionChange.With = "permission requests"
			if e.HasForms() {
				questionChange.With = "forms"
			}
		}
		kind := s.kind
		if e.NoPanel {
			kind += " as messages"
		}
		if direct.Plan {
			without = append(without, kind)
		}
		if proxied.Plan {
			with = append(with, kind)
		}
	}
	shown := Shown{asItIs, Change{e.plans(without, isKnownVendor), e.plans(with, isKnownVendor)}, questionChange}
	switch own := c.probes[request.Version]; {
	case !own.agrees() && !connected:
		return showsNothing, nil
	case !own.agrees():
		shown.Connection, shown.Plans.Without, shown.Questions.Without = joined, none, none
	case request.Profile().IgnoresUnknownRequests && slices.ContainsFunc(samples, func(s sample) bool { return s == approvals || s == questions }):
		// The vendor's request gets no response.
		shown.Questions.Without = "none, and the turn hangs"
	}
	return shown, nil
}

// formQuestions describes the questions of an agent without a known vendor, which asks with forms.
func (e editor) formQuestions() Change {
	if e.HasForms() {
		return Change{"forms", "forms"}
	}
	return Change{noForms, asRequests}
}

// plans describes the plans that an editor shows of an agent, given their kinds.
func (e editor) plans(shown []string, isKnownVendor bool) string {
	text := none
	if last := len(shown) - 1; last >= 0 {
		text = shown[last]
		if last > 0 {
			text = strings.Join(shown[:last], ", ") + " and " + text
		}
		if !isKnownVendor {
			text += ", if the agent sends them"
		}
	}
	if e.NoPanel {
		text += "; this editor has no plan panel"
	}
	return text
}

// handshake returns a recording of the responses to initialize in both versions.
func (c *agentCheck) handshake() (b []byte) {
	for version := 1; version <= 2; version++ {
		b = fmt.Appendf(b, `{"type":"request","ts":0,"from":"Client","to":"Agent","id":%d,"method":"initialize","params":%s}`+"\n", version, c.hello[version])
		p := c.probes[version]
		if payload := cmp.Or(string(p.result), string(p.failure)); payload != "" {
			b = fmt.Appendf(b, `{"type":"response","ts":0,"from":"Agent","to":"Client","id":%d,"is_error":%t,"payload":%s}`+"\n",
				version, p.failure != nil, payload)
		}
	}
	return b
}
