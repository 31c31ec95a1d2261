package oldagent

import (
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
)

// commands passes the list of commands on.
func (b *Bridge) commands(s *session, u *link.Update) {
	words.CommandsUpdate.ToV2.ConvertObject(s.rewrite(&b.link, u), u.Members)
	b.link.SendRewritten(u)
}
