package shapes

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// Shared returns the description of the result of a method, or of the params of a notification of
// the agent, that are the same in both versions. method is its name in version 2. For any other
// method, Shared returns nil.
func Shared(method string) Object {
	switch method {
	case "providers/list":
		return Object{{"providers", must{array{orLost{provider, translate.LossUnreadableProvider}}}}}
	case "session/set_title":
		return Object{{"title", mustString}}
	case "session/status":
		return Object{{"status", mustString}, {"state", drop}}
	case "elicitation/complete":
		return Object{{"elicitationId", mustString}}
	case "auth/login", "auth/logout", "auth/status", "auth/status_update", "providers/set", "providers/disable", "session/archive", "session/unarchive":
		return Object{}
	}
	return nil
}

var (
	provider = Object{
		{"providerId", mustString},
		{"supported", orDefault{array{String}, "[]"}},
		{"required", must{boolean}},
		{"current", orNull{orLost{address, translate.LossUnreadableAddress}}},
	}
	address = Object{
		{"apiType", mustString},
		{"baseUrl", must{Func(copyURI)}},
	}
)

// orLost reports a loss for each value that cannot be converted, except null.
type orLost struct {
	Rule
	kind translate.LossKind
}

func (o orLost) Write(w *Writer, value []byte) bool {
	ok := o.Rule.Write(w, value)
	if !ok && !rawjson.IsNull(value) {
		w.Lose(o.kind, "a value that cannot be read is omitted")
	}
	return ok
}
