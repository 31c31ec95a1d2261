package trace

import "acp-plan-proxy/transport/rawjson"

// A Loss is content lost in the translation of a message.
type Loss struct {
	Kind   string // as in the log
	Name   string // the peer's name for the content; may be empty
	Detail string // the replacement or the reason; may be empty
}

// writeLosses writes the losses of a message into its first event.
func (w *Writer) writeLosses() {
	if len(w.lost) == 0 {
		return
	}
	b := &w.out
	b.Name("lost")
	b.Array()
	for _, l := range w.lost {
		b.Object()
		for _, m := range [][2]string{{"kind", l.Kind}, {"name", l.Name}, {"detail", l.Detail}} {
			if m[1] != "" {
				b.StringMember(m[0], []byte(m[1]))
			}
		}
		b.EndObject()
	}
	b.EndArray()
	w.lost = nil
}

// readLosses reads the value of "lost", which must be valid JSON. It skips elements without a
// kind.
func readLosses(value []byte) (lost []Loss) {
	for o := range rawjson.Objects(value, nil) {
		kind, _ := o.Text("kind")
		name, _ := o.Text("name")
		detail, _ := o.Text("detail")
		if len(kind) > 0 {
			lost = append(lost, Loss{string(kind), string(name), string(detail)})
		}
	}
	return lost
}
