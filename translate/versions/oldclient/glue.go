package oldclient

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

func (b *Bridge) toolCallUpdate(s *session)       { b.worked(s, s.tools.toolCallUpdate) }
func (b *Bridge) toolCallContentChunk(s *session) { b.worked(s, s.tools.toolCallContentChunk) }
func (b *Bridge) terminalUpdate(s *session)       { b.worked(s, s.tools.terminalUpdate) }
func (b *Bridge) terminalOutputChunk(s *session)  { b.worked(s, s.tools.terminalOutputChunk) }
func (b *Bridge) compactionUpdate(s *session) {
	b.either(s, b.options.Client.Compaction, compactionShape, func() { b.worked(s, s.tools.compactionUpdate) })
}
func (b *Bridge) compactionSummaryChunk(s *session) {
	b.either(s, b.options.Client.Compaction, summaryShape, func() { b.worked(s, s.tools.compactionSummaryChunk) })
}
func (b *Bridge) subagentUpdate(s *session) {
	b.either(s, b.options.Client.Subagents, subagentShape, func() { b.subagents.subagentUpdate(s, &b.u) })
}
func (b *Bridge) sessionMessage(s *session) {
	shape := sessionMessageShape
	if string(b.update.kind) == "session_message_chunk" {
		shape = sessionMessageChunkShape
	}
	b.either(s, b.options.Client.Subagents, shape, func() { b.link.Lose(translate.LossSubagentMessage, "left out") })
}
func (b *Bridge) notice(s *session) {
	b.either(s, b.options.Client.Notices, noticeShape, func() {
		s.tools.flushSmall()
		tellNotice(&b.link, &b.u, b.ids.next("notice-"))
	})
}

// worked has a handler that belongs to a turn.
func (b *Bridge) worked(s *session, handle func(u *link.Update) bool) {
	if handle(&b.u) {
		s.works()
	}
}

func (b *Bridge) either(s *session, known bool, shape words.Shape, otherwise func()) {
	if !known {
		otherwise()
		return
	}
	s.tools.flushSmall()
	b.emitAs(shape)
}

func (b *Bridge) flush(s *session)      { s.tools.flush() }
func (b *Bridge) flushSmall(s *session) { s.tools.flushSmall() }

func (b *Bridge) shownIn(session []byte) []byte { return b.subagents.shownIn(session) }

// requestPermission handles session/request_permission.
func (b *Bridge) requestPermission(m *jsonrpc.Message) {
	b.permissions.requestPermission(m)
}

func appendElement(dst []byte) []byte {
	if dst[len(dst)-1] != '[' {
		dst = append(dst, ',')
	}
	return dst
}
