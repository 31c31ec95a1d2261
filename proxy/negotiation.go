package proxy

import (
	"bytes"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// initialize handles the client's initialize request: what it asks for counts
// when it is answered, and it is announced to the agent as the options say.
func (t *translation) initialize(id jsonrpc.ID, m *reading) outcome {
	t.asked = true
	params := m.Params.Of(m.Text)
	o := forward
	request, err := capabilities.ReadRequest(params)
	told := request
	if err != nil {
		t.warn(translate.LossInitialize, "initialize request not understood; the client counts as one that advertises nothing: "+err.Error())
	} else if edited, changed := t.told.Edit(params, request); changed {
		o = outcome{action: plans.Rewrite, start: m.Params.Start, end: m.Params.End, with: [][]byte{edited}}
		told, _ = capabilities.ReadRequest(edited)
	}
	for _, a := range request.Capabilities {
		if a == capabilities.Malformed {
			t.warn(translate.LossPlanCapability, "the client's plan capability is not an object and counts as absent")
		}
	}
	t.await(id, awaited{
		initialize: bytes.Clone(m.ID),
		succeeded:  func(result []byte) { t.negotiate(request, told, result) },
		failed: func() {
			t.warn(translate.LossFailedInitialize, "initialize failed; plans pass as they are")
			t.setClient(capabilities.Client{})
		},
	})
	return o
}

// negotiate handles the answer to an initialize request; told is that request
// as the agent got it.
func (t *translation) negotiate(request, told capabilities.Request, result []byte) {
	answer, err := capabilities.ReadAnswer(result)
	if err != nil {
		t.warn(translate.LossInitializeAnswer, "answer to initialize not understood; plans pass as they are: "+err.Error())
		t.setClient(capabilities.Client{})
		return
	}
	client := t.settings.Client(request, answer)
	t.setClient(client)
	t.negotiated(request, answer, client, t.translator.SaysTexts(), t.joined != "")
	attrs := []any{
		"client", request.Name, "client_version", request.Release,
		"agent", answer.Name, "agent_version", answer.Release,
		"protocol", answer.Version, "shows", client.String(), "why", t.settings.Why(request, answer),
		"advertised", told.Advertised(),
	}
	if hidden := request.Offers &^ told.Offers; hidden != 0 {
		attrs = append(attrs, "hidden", hidden.String())
	}
	if t.joined != "" {
		attrs = append(attrs, "joined", t.joined)
	}
	t.log.Info("negotiated", attrs...)
}

// unanswered returns the raw ids of the initialize requests that the client waits
// for.
func (t *translation) unanswered() (ids [][]byte) {
	for _, a := range t.awaited.All() {
		if a.initialize != nil {
			ids = append(ids, a.initialize)
		}
	}
	return ids
}

// giveUp forgets these requests: the agent will not answer them any more.
func (t *translation) giveUp() {
	for id, a := range t.awaited.All() {
		if a.initialize != nil {
			t.awaited.Delete(id)
		}
	}
}

// mayAnswer notes the beginning of a line of the agent that is not read. If the line
// may be the answer to initialize, the client gets no other.
func (t *translation) mayAnswer(beginning []byte) {
	if len(t.unanswered()) == 0 {
		return
	}
	var m jsonrpc.Message
	var cursor rawjson.Cursor
	cursor.Reset(beginning)
	if m.Read(&cursor, beginning, nil); m.Method != nil {
		return
	}
	for id, a := range t.awaited.All() {
		a.initialize = nil
		t.awaited.Put(id, a)
	}
}
