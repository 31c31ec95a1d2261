package transport_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"acp-plan-proxy/transport"
)

// A censor drops lines that begin with a hash, and replaces secrets in lines that begin
// with a dash.
type censor struct{}

func (censor) Inspect(line []byte) transport.Verdict {
	if line[0] == '#' || line[0] == '-' {
		return transport.Hold
	}
	return transport.Pass
}

func (censor) Rewrite(line []byte) ([]byte, bool) {
	if line[0] == '#' {
		return nil, true
	}
	return bytes.ReplaceAll(line, []byte("secret"), []byte("***")), true
}

func (censor) Oversize([]byte) transport.Verdict { return transport.Drop }
func (censor) Rest([]byte, bool)                 {}
func (censor) Pause([]byte) <-chan struct{}      { return nil }

// A Relay copies lines. Its Inspector buffers the lines to rewrite or drop.
func ExampleRelay() {
	relay := transport.Relay{
		Src:       strings.NewReader("a secret that passes\n# a note\n- a secret\n"),
		Dst:       transport.NewOutlet(os.Stdout, 1<<20),
		Inspector: censor{},
		MaxLine:   1 << 20,
	}
	if err := relay.Run(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// a secret that passes
	// - a ***
}
