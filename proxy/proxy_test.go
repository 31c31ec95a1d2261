package proxy

import (
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-plan-proxy/proxy/programtest/needs"
)

// The proxy opens no network connection: it imports nothing that could.
func TestProxyKnowsNoNetwork(t *testing.T) {
	packages, err := exec.Command(needs.Program(t, "go"), "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(strings.Fields(string(packages)), "net") {
		t.Error("package proxy depends on package net")
	}
}

// awaitStall neither returns while there is nothing to write, nor while the client reads slowly.
func TestAwaitStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const grace, pause, reads = time.Minute, 40 * time.Second, 10
		client, toClient := io.Pipe()
		defer client.Close()
		r := &agentRun{agent: Agent{Grace: grace}, toClient: clientWriter{w: toClient}, returned: make(chan struct{})}
		go func() {
			for time.Sleep(3 * grace); ; {
				if _, err := r.toClient.Write([]byte{'\n'}); err != nil {
					return
				}
			}
		}()
		go func() {
			time.Sleep(3 * grace)
			for range reads {
				time.Sleep(pause)
				client.Read(make([]byte, 1))
			}
		}()
		begin, lastRead := time.Now(), 3*grace+reads*pause
		r.awaitStall()
		if took := time.Since(begin); took < lastRead+grace || took > lastRead+2*grace {
			t.Errorf("the client has stalled after %v, the last Read was after %v", took, lastRead)
		}
	})
}
