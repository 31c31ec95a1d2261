package shapes

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

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
	providers = Object{{"providers", must{array{orLost{Func(provider), translate.LossUnreadableProvider}}}}}
	setTitle  = Object{{"title", mustString}}
	status    = Object{{"status", mustString}, {"state", drop}}
	complete  = Object{{"elicitationId", mustString}}

	supported     = Row{"supported", or{array{String}, "[]"}}
	required      = Row{"required", must{boolean}}
	current       = Row{"current", orNull{orLost{address, translate.LossUnreadableAddress}}}
	lateProvider  = Object{{"providerId", mustString}, supported, required, current}
	earlyProvider = Object{supported, required, current, {"providerId", called{"id", mustString}}}
	address       = Object{
		{"apiType", mustString},
		{"baseUrl", must{Func(withScheme)}},
	}
	// OfEarlyProvider has the params of a request about a provider, for an agent with early
	// providers.
	OfEarlyProvider = Object{{"providerId", called{"id", nil}}}
)

// IsEarlyProvider reports whether a provider is listed as agents of May and June 2026 do: with
// an id in place of the later providerId.
func IsEarlyProvider(value []byte) bool {
	o := rawjson.Members(value)
	return o.Get("id") != nil && o.Get("providerId") == nil
}

func provider(w *Writer, value []byte) bool {
	if IsEarlyProvider(value) {
		return earlyProvider.Write(w, value)
	}
	return lateProvider.Write(w, value)
}

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
