//go:build unix

package transport

import (
	"os"
	"testing"
)

func TestAwaitHangup(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	hangup := make(chan bool)
	go func() { hangup <- AwaitHangup(r) }()
	if _, err := w.WriteString("not read yet"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-hangup:
		t.Error("AwaitHangup returned while the pipe has a writer")
	default:
	}
	w.Close()
	if !<-hangup {
		t.Error("AwaitHangup returned false")
	}
	b := make([]byte, 64)
	if n, err := r.Read(b); string(b[:n]) != "not read yet" {
		t.Errorf("read %q, %v", b[:n], err)
	}
}

func TestAwaitHangupOfFile(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if AwaitHangup(f) {
		t.Error("hangup of a closed file")
	}
}
