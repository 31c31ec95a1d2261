package oldagent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
)

// Updates that the two versions share pass as they are. If a client of version 2
// cannot read an optional member, the bridge leaves that member out. If a required
// member is missing or unreadable, the bridge drops the update.

// shared handles an update that both versions have.
func (b *Bridge) shared(s *session, u *link.Update) {
	shape := words.Update(string(u.Kind)).ToV2
	leftOut := slices.ContainsFunc(u.Members, words.UnreadableMeta)
	same := !leftOut
	for i := range shape {
		value := u.Members.Get(shape[i].Name)
		if value == nil {
			same = same && !shape[i].Required
			continue
		}
		w := b.link.Trial()
		w.Cwd = s.cwd
		if !shape[i].Convert(w, value) {
			same, leftOut = false, true
		}
		same = same && bytes.Equal(w.Out, value)
	}
	if same {
		b.link.Pass(u)
		return
	}
	w := s.rewrite(&b.link, u)
	if !shape.ConvertObject(w, u.Members) {
		s.lose(&b.link, translate.LossUnreadableUpdate, "an update that version 2 cannot read was dropped")
		return
	}
	if leftOut {
		w.Lose(translate.LossUnreadableMember, "it was left out")
	}
	b.link.SendRewritten(u)
}
