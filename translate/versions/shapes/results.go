package shapes

import "acp-plan-proxy/translate"

// Result returns the members of the result of a method, by its name in version 2, if the
// result is the same in both versions; otherwise nil. A result without a required member is
// rejected.
func Result(method string) Object {
	switch method {
	case "providers/list":
		return providers
	case "session/set_title":
		return setTitle
	case "session/status":
		return status
	case "auth/login", "auth/logout", "auth/status", "providers/set", "providers/disable", "session/archive", "session/unarchive":
		return Object{}
	}
	return nil
}

// Notification is Result for the params of a notification of the agent.
func Notification(method string) Object {
	if method == "elicitation/complete" {
		return complete
	}
	return Object{}
}

var (
	providers = Object{{"providers", must{array{orLost{provider, translate.LossUnreadableProvider}}}}}
	setTitle  = Object{{"title", mustString}}
	status    = Object{{"status", mustString}, {"state", drop}}
	complete  = Object{{"elicitationId", mustString}}

	provider = Object{
		{"providerId", mustString},
		{"supported", or{array{String}, "[]"}},
		{"required", must{boolean}},
		{"current", orNull{orLost{address, translate.LossUnreadableAddress}}},
	}
	address = Object{
		{"apiType", mustString},
		{"baseUrl", must{Func(withScheme)}},
	}
)

// orLost reports a loss for values that cannot be converted.
type orLost struct {
	Rule
	kind translate.LossKind
}

func (f orLost) Write(w *Writer, value []byte) bool {
	ok := f.Rule.Write(w, value)
	if !ok {
		w.Lose(f.kind, "one that cannot be read was left out")
	}
	return ok
}
