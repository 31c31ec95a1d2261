package oldagent

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
)

// A row says what becomes of a session/update of a kind.
type row struct {
	handle func(*Bridge, *session, *link.Update)

	// history: it tells of the conversation itself. A client that did not ask for a
	// replay must not get it in one, and a turn that lingers waits for more.
	history bool
	echo    bool // it may repeat the prompt
	breaks  bool // a message does not go on behind it
}

// updates has the kinds of session/update. In version 1 some of them are not: agents
// that mix the versions send them, and the bridge itself tells the client what they say.
var updates = map[string]row{
	"user_message_chunk":        {handle: messageChunk, history: true, echo: true},
	"agent_message_chunk":       {handle: messageChunk, history: true},
	"agent_thought_chunk":       {handle: messageChunk, history: true},
	"tool_call":                 {handle: toolCallReport, history: true},
	"tool_call_update":          {handle: toolCallReport, history: true},
	"plan":                      {handle: (*Bridge).plan, history: true, breaks: true},
	"plan_update":               {handle: (*Bridge).passUpdate, history: true, breaks: true},
	"plan_removed":              {handle: (*Bridge).passUpdate, history: true},
	"compaction_update":         {handle: (*Bridge).shared, history: true, breaks: true},
	"compaction_summary_chunk":  {handle: (*Bridge).shared, history: true},
	"session_message":           {handle: (*Bridge).shared, history: true},
	"session_message_chunk":     {handle: (*Bridge).shared, history: true},
	"notice":                    {handle: (*Bridge).shared, breaks: true},
	"usage_update":              {handle: (*Bridge).shared},
	"session_info_update":       {handle: (*Bridge).sessionInfo},
	"subagent_update":           {handle: (*Bridge).subagent},
	"available_commands_update": {handle: (*Bridge).commands},
	"current_mode_update":       {handle: (*Bridge).modeUpdate},
	"config_option_update":      {handle: (*Bridge).optionsUpdate},

	"user_message":            {handle: (*Bridge).loseVersion2},
	"agent_message":           {handle: (*Bridge).loseVersion2},
	"agent_thought":           {handle: (*Bridge).loseVersion2},
	"state_update":            {handle: (*Bridge).loseVersion2},
	"terminal_update":         {handle: (*Bridge).loseVersion2},
	"replay_complete":         {handle: (*Bridge).loseVersion2},
	"tool_call_content_chunk": {handle: (*Bridge).loseVersion2, history: true},
	"terminal_output_chunk":   {handle: (*Bridge).loseVersion2, history: true},
}

// unlisted is the row for a kind that has none: that of an extension passes. Its name
// says whether it tells of the conversation.
func unlisted(kind []byte) row {
	r := row{handle: (*Bridge).loseUnknown}
	if bytes.HasPrefix(kind, []byte("_")) {
		r.handle = (*Bridge).passUpdate
	}
	r.history = bytes.HasSuffix(kind, []byte("_chunk")) || bytes.HasPrefix(kind, []byte("tool_call")) ||
		bytes.HasPrefix(kind, []byte("plan")) || bytes.HasPrefix(kind, []byte("compaction"))
	return r
}

func messageChunk(b *Bridge, s *session, u *link.Update) { b.messages.chunk(s, u) }

func toolCallReport(b *Bridge, s *session, u *link.Update) { b.toolCalls.toolCall(s, u) }

// passUpdate handles an update that is the same in both versions.
func (b *Bridge) passUpdate(_ *session, u *link.Update) { b.link.Pass(u) }

func (b *Bridge) loseVersion2(s *session, _ *link.Update) {
	s.lose(&b.link, translate.LossVersion2Update, "an agent of version 1 sent it, it was dropped")
}

func (b *Bridge) loseUnknown(s *session, u *link.Update) {
	s.lose(&b.link, translate.LossUnknownUpdate, "version 2 does not know it, it was dropped: "+cut(u.Kind))
}

// plan handles a plan: the plan translation makes what version 2 knows of it. It would
// leave one without entries as it is.
func (b *Bridge) plan(s *session, u *link.Update) {
	if entries := u.Members.Get("entries"); len(entries) == 0 || entries[0] != '[' {
		s.lose(&b.link, translate.LossUnreadableUpdate, "a plan without entries was dropped")
		return
	}
	b.link.Pass(u)
}

// subagent handles subagent_update.
func (b *Bridge) subagent(s *session, u *link.Update) {
	b.replays.announced(s, u)
	b.link.Pass(u)
}

// sessionInfo handles session_info_update, which has a new title, or when the session
// was last active.
func (b *Bridge) sessionInfo(s *session, u *link.Update) {
	if at := u.Members.Get("updatedAt"); at != nil && words.OrNull(words.Time)(b.link.Trial(), at) {
		s.keepInfo(&s.updatedAt, at)
	}
	if title := u.Members.Get("title"); title != nil {
		s.keepInfo(&s.title, title)
	}
	b.shared(s, u)
}
