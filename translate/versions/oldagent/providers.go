package oldagent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// The version 1 of May and June 2026 calls the id of a provider id, later ones and
// version 2 call it providerId. Which one an agent speaks shows in its list of
// providers, from which the client has the ids.

// ofEarlyProvider is the shape of the params of a request about a provider, for an
// agent of that time.
var ofEarlyProvider = words.Shape{{Name: "providerId", To: "id", Convert: words.Same}}

// listProviders asks the agent for its providers.
func (b *Bridge) listProviders(m *jsonrpc.Message) {
	b.link.Ask(translate.Agent, m, "", link.SameParams(m), link.Request{Answered: func(c *link.Call, m *jsonrpc.Message) {
		b.earlyProviders = b.earlyProviders || hasEarlyProvider(m.Result.Of(m.Text))
		answeredAs(&b.link, words.Result("providers/list"))(c, m)
	}})
}

// hasEarlyProvider reports whether a list has a provider as agents of that time
// list it.
func hasEarlyProvider(result []byte) bool {
	o, _ := rawjson.ReadObject(nil, result)
	providers, _ := rawjson.ReadArray(nil, o.Get("providers"))
	return slices.ContainsFunc(providers, words.IsEarlyProvider)
}

// askOfProvider sends on a request about a provider.
func (b *Bridge) askOfProvider(m *jsonrpc.Message) {
	params := link.SameParams(m)
	if w := (words.Writer{}); b.earlyProviders && ofEarlyProvider.Convert(&w, m.Params.Of(m.Text)) {
		params = w.Out
	}
	b.askSame(m, "", params)
}
