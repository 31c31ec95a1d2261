package conversation

import "acp-plan-proxy/translate"

// A slot collects the messages that replace a message of a relay's line. The relay writes them in
// place of the line, so that the lines keep their order.
type slot struct {
	to         translate.Side
	line       []byte // of the relay
	start, end int    // of the message in line

	out         []byte // the replacement; empty if that is the unchanged message alone
	count       int    // number of messages in the replacement
	hasOriginal bool   // the replacement contains the unchanged message
}

// begin resets the slot for a message in a line.
func (s *slot) begin(line []byte, start, end int) {
	*s = slot{to: s.to, line: line, start: start, end: end, out: s.out[:0]}
}

// passes reports whether the replacement is the unchanged message alone.
func (s *slot) passes() bool { return s.hasOriginal && s.count == 1 }

// drops reports whether the replacement is empty.
func (s *slot) drops() bool { return s.count == 0 }

// drop empties the replacement.
func (s *slot) drop() { s.out, s.count, s.hasOriginal = s.out[:0], 0, false }

// replacement returns the messages that replace the line's message.
func (s *slot) replacement() []byte {
	if s.passes() {
		return s.line[s.start:s.end]
	}
	return s.out
}

// put appends a message to the replacement.
func (s *slot) put(output translate.Output, text []byte) {
	if s.passes() {
		s.write(false, s.line[s.start:s.end])
	}
	s.count++
	if output.Same {
		s.hasOriginal = true
		if s.count == 1 {
			return
		}
	}
	s.write(output.IsOwn, text)
}

// write appends a message to out: as a line of its own if ownLine is set, and otherwise with
// the bytes around the original message in its line.
func (s *slot) write(ownLine bool, text []byte) {
	if n := len(s.out); n > 0 && s.out[n-1] != '\n' {
		s.out = append(s.out, '\n')
	}
	if ownLine {
		s.out = append(append(s.out, text...), '\n')
	} else {
		s.out = append(append(append(s.out, s.line[:s.start]...), text...), s.line[s.end:]...)
	}
}
