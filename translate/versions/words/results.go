package words

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// Result returns the shape of the results of a method, by its name in version 2, if
// results are the same in both versions; else nil. A result that lacks what is
// required has no form.
func Result(method string) Shape { return results[method] }

// Notification is Result for the params of a notification of the agent.
func Notification(method string) Shape { return notifications[method] }

var results = map[string]Shape{
	"auth/login":        {},
	"auth/logout":       {},
	"auth/status":       {}, // what it says differs between drafts, and not between versions
	"providers/list":    {{Name: "providers", Convert: Array(orLost(convertProvider, translate.LossUnreadableProvider)), Required: true}},
	"providers/set":     {},
	"providers/disable": {},
	"session/archive":   {},
	"session/set_title": {{Name: "title", Convert: String, Required: true}},
	"session/status":    {{Name: "status", Convert: String, Required: true}, {Name: "state", Convert: Leave}}, // version 1 has no states
	"session/unarchive": {},
}

var notifications = map[string]Shape{
	"auth/status_update":   {},
	"elicitation/complete": {{Name: "elicitationId", Convert: String, Required: true}},
}

var (
	provider = Shape{
		{Name: "providerId", Convert: String, Required: true},
		{Name: "supported", Convert: Array(String), Default: "[]"},
		{Name: "required", Convert: Boolean, Required: true},
		{Name: "current", Convert: OrNull(orLost(Shape{
			{Name: "apiType", Convert: String, Required: true},
			{Name: "baseUrl", Convert: withScheme, Required: true},
		}.Convert, translate.LossUnreadableAddress))},
	}
	earlyProvider = append(Shape{{Name: "id", To: "providerId", Convert: String, Required: true}}, provider[1:]...)
)

// IsEarlyProvider reports whether a provider is one as agents of May and June 2026
// list it: what was called providerId later is its id.
func IsEarlyProvider(value []byte) bool {
	o, _ := rawjson.ReadObject(nil, value)
	return o.Get("id") != nil && o.Get("providerId") == nil
}

func convertProvider(w *Writer, value []byte) bool {
	if IsEarlyProvider(value) {
		return earlyProvider.Convert(w, value)
	}
	return provider.Convert(w, value)
}

// orLost returns a Convert that notes a loss of that kind for values without a
// form.
func orLost(convert Convert, kind translate.LossKind) Convert {
	return func(w *Writer, value []byte) bool {
		if convert(w, value) {
			return true
		}
		w.Lose(kind, "one that cannot be read was left out")
		return false
	}
}
