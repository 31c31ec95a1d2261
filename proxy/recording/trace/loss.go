package trace

import "acp-plan-proxy/transport/rawjson"

// A Loss is something that was lost in the translation of a message.
type Loss struct {
	Kind   string // in the words of the log
	Name   string // what a peer calls it; empty if the kind says all
	Detail string // what was done; may be empty
}

// losses writes what was lost, if this is the first event of a message that has lost
// something.
func (t *Writer) losses() {
	if len(t.lost) == 0 {
		return
	}
	b := &t.out
	b.Name("lost")
	b.Array()
	for _, l := range t.lost {
		b.Object()
		for _, m := range [][2]string{{"kind", l.Kind}, {"name", l.Name}, {"detail", l.Detail}} {
			if m[1] != "" {
				b.StringMember(m[0], []byte(m[1]))
			}
		}
		b.EndObject()
	}
	b.EndArray()
	t.lost = nil
}

// readLosses reads what was lost, which is valid JSON. Whatever has another form than
// expected is left out. The message counts without it.
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
