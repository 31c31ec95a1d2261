package proxy

import "acp-plan-proxy/translate"

// A place is where a message came from in a line: what leaves in its direction leaves there,
// so that the lines around it keep their order.
type place struct {
	to         translate.Side
	line       []byte
	start, end int  // of the message in the line
	passing    bool // the line itself passes, whatever leaves

	out    []byte // what leaves, unless that is the message alone, as it came
	leaves int    // how many messages
	same   bool   // one of them is the message as it came
}

// begin begins the place of a message in a line.
func (p *place) begin(line []byte, start, end int) {
	*p = place{to: p.to, line: line, start: start, end: end, out: p.out[:0]}
}

// passes reports whether the message alone leaves, as it came.
func (p *place) passes() bool { return p.same && p.leaves == 1 }

// drops reports whether nothing leaves.
func (p *place) drops() bool { return p.leaves == 0 }

// drop takes back what was put.
func (p *place) drop() { p.out, p.leaves, p.same = p.out[:0], 0, false }

// message returns the message that is there now.
func (p *place) message() []byte {
	if p.passes() {
		return p.line[p.start:p.end]
	}
	return p.out
}

// put puts a message there, behind what is there.
func (p *place) put(l translate.Leaving, text []byte) {
	if p.passes() {
		p.write(false, p.line[p.start:p.end])
	}
	p.leaves++
	if l.Same {
		if p.same = true; p.leaves == 1 {
			return
		}
	}
	p.write(l.Own, text)
}

// write writes a message. What is said by itself is a line of its own; else what is around
// the message in its line stays.
func (p *place) write(own bool, text []byte) {
	if n := len(p.out); n > 0 && p.out[n-1] != '\n' {
		p.out = append(p.out, '\n')
	}
	if own {
		p.out = append(append(p.out, text...), '\n')
	} else {
		p.out = append(append(append(p.out, p.line[:p.start]...), text...), p.line[p.end:]...)
	}
}
