package translate

import "testing"

// TestOutMemory pins that one large message is not kept, and that the memory of
// usual ones is.
func TestOutMemory(t *testing.T) {
	var o Out
	for _, c := range []struct {
		size  int
		keeps bool
	}{{64 << 10, true}, {2 << 20, false}} {
		o.Reset(Agent, nil)
		o.Send(Client, make([]byte, c.size))
		if o.Reset(Agent, nil); cap(o.text) >= c.size != c.keeps {
			t.Errorf("after a message of %d bytes, %d are kept", c.size, cap(o.text))
		}
	}
}
