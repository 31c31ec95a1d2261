package conversation

import "acp-plan-proxy/translate"

// A slot is the position of a message in the output of a relay. Messages that replace it
// are written there, so that the lines of the relay keep their order.
type slot struct {
	to         translate.Side
	line       []byte
	start, end int  // of the message in the line
	passing    bool // the line itself streams through unchanged

	out      []byte // the replacement, unless that is the unchanged message alone
	messages int    // number of messages in the replacement
	same     bool   // one of them is the unchanged message
}

// begin resets the slot for a message in a line.
func (p *slot) begin(line []byte, start, end int) {
	*p = slot{to: p.to, line: line, start: start, end: end, out: p.out[:0]}
}

// passes reports whether the replacement is the unchanged message alone.
func (p *slot) passes() bool { return p.same && p.messages == 1 }

// drops reports whether the replacement is empty.
func (p *slot) drops() bool { return p.messages == 0 }

// drop empties the replacement.
func (p *slot) drop() { p.out, p.messages, p.same = p.out[:0], 0, false }

// message returns the replacement.
func (p *slot) message() []byte {
	if p.passes() {
		return p.line[p.start:p.end]
	}
	return p.out
}

// put appends a message to the replacement.
func (p *slot) put(output translate.Output, text []byte) {
	if p.passes() {
		p.write(false, p.line[p.start:p.end])
	}
	p.messages++
	if output.Same {
		if p.same = true; p.messages == 1 {
			return
		}
	}
	p.write(output.Own, text)
}

// write appends a message to out: as a line of its own if own is set, and otherwise with
// the bytes around the original message in its line.
func (p *slot) write(own bool, text []byte) {
	if n := len(p.out); n > 0 && p.out[n-1] != '\n' {
		p.out = append(p.out, '\n')
	}
	if own {
		p.out = append(append(p.out, text...), '\n')
	} else {
		p.out = append(append(append(p.out, p.line[:p.start]...), text...), p.line[p.end:]...)
	}
}
