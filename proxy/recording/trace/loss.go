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
		b.StringMember("kind", []byte(l.Kind))
		if l.Name != "" {
			b.StringMember("name", []byte(l.Name))
		}
		if l.Detail != "" {
			b.StringMember("detail", []byte(l.Detail))
		}
		b.EndObject()
	}
	b.EndArray()
	t.lost = nil
}

// readLosses reads what was lost, which is valid JSON. Whatever has another form than
// expected is left out. The message counts without it.
func readLosses(value []byte) (lost []Loss) {
	var c rawjson.Cursor
	c.Reset(value)
	if c.Kind() != '[' {
		return nil
	}
	for more := c.Array(); more; more = c.NextElement() {
		if l := readLoss(c.Value()); l.Kind != "" {
			lost = append(lost, l)
		}
	}
	return lost
}

func readLoss(value []byte) (l Loss) {
	var c rawjson.Cursor
	c.Reset(value)
	if c.Kind() != '{' {
		return Loss{}
	}
	for more := c.Object(); more; more = c.NextMember() {
		name := string(c.Name())
		text, _ := rawjson.TextOf(c.Value())
		switch name {
		case "kind":
			l.Kind = string(text)
		case "name":
			l.Name = string(text)
		case "detail":
			l.Detail = string(text)
		}
	}
	return l
}
