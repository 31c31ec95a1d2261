package v1agent

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

// providers are the requests about providers.
type providers struct {
	link  *link.Link
	early bool // the agent is of that time
}

// list handles providers/list.
func (p *providers) list(m *jsonrpc.Message) {
	p.link.Ask(translate.Agent, m, "", link.SameParams(m), link.Request{Answered: func(c *link.Call, m *jsonrpc.Message) {
		p.early = p.early || hasEarlyProvider(link.ResultOf(m))
		answeredAs(p.link, words.Result("providers/list"))(c, m)
	}})
}

// hasEarlyProvider reports whether a list has a provider as agents of that time
// list it.
func hasEarlyProvider(result []byte) bool {
	o, _ := rawjson.ReadObject(nil, result)
	all, _ := rawjson.ReadArray(nil, o.Get("providers"))
	return slices.ContainsFunc(all, words.IsEarlyProvider)
}

// ask handles a request about one provider.
func (p *providers) ask(m *jsonrpc.Message) {
	params := link.SameParams(m)
	if o, ok := rawjson.ReadObject(nil, params); ok && p.early {
		var w words.Writer
		words.OfEarlyProvider.ToV1(&w, o)
		params = w.Out
	}
	askSame(p.link, m, "", params)
}
