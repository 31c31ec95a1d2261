package vendors

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// Words are a Translator's, as [translate.StageOf] has them.
type Words struct {
	*Translator
	want    Want // what filters are for; few messages change it
	filters [2]*jsonrpc.Filter
}

// Wants implements [translate.Words].
func (w *Words) Wants() [2]*jsonrpc.Filter {
	if want := w.Translator.Wants(); want != w.want {
		w.want, w.filters = want, [2]*jsonrpc.Filter{translate.Client: want.ofClient(), translate.Agent: want.ofAgent()}
	}
	return w.filters
}

func (w Want) ofClient() *jsonrpc.Filter {
	f := &jsonrpc.Filter{Responses: w.Answers}
	if w.Cancels {
		f.Methods = []string{"session/cancel", "session/close", "session/delete", "$/cancel_request"}
	}
	if w.Prompts {
		f.Heads = []string{"session/prompt"}
	}
	return f
}

func (w Want) ofAgent() *jsonrpc.Filter {
	f := &jsonrpc.Filter{Updates: translate.PlanKinds(), Responses: w.Ends, Methods: w.Methods()}
	if w.Todos {
		f.Tools = Tools()
	}
	if w.Calls {
		f.Updates = append(f.Updates, "tool_call", "tool_call_update")
	}
	if w.Begins {
		f.HeadUpdates = append(f.HeadUpdates, "tool_call")
	}
	if w.Statuses {
		f.HeadUpdates = append(f.HeadUpdates, "tool_call_update")
	}
	return f
}

// FromClient implements [translate.Words].
func (w *Words) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	is := w.Translator.FromClient(m, out)
	w.note(out)
	return is
}

// FromAgent implements [translate.Words].
func (w *Words) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	is := w.Translator.FromAgent(m, out)
	w.note(out)
	return is
}

// note has a message in a vendor's words, or that answers or ends what was asked in them,
// count as one about plans.
func (w *Words) note(out *translate.Out) {
	if w.known {
		out.OfPlan()
	}
}

// Gone implements [translate.Words].
func (w *Words) Gone(side translate.Side, out *translate.Out) {
	if side == translate.Client {
		w.ClientGone(out)
		if len(out.Leaves()) > 0 {
			out.OfPlan()
		}
	}
}
