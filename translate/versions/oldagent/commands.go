package oldagent

import "acp-plan-proxy/translate/versions/words"

// commands passes the list of commands on.
func (b *Bridge) commands(u *update) {
	words.CommandsUpdate.ToV2.ConvertObject(b.beginSame(u), u.fields)
	b.sendSame(u)
}
