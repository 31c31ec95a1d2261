//go:build unix

package command

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestDemoLeavesNothing ends the demo before it is over, in every way. What it
// has in the temporary folder goes with it.
func TestDemoLeavesNothing(t *testing.T) {
	signal := func(s os.Signal) func(*exec.Cmd, io.Closer) {
		return func(demo *exec.Cmd, _ io.Closer) { demo.Process.Signal(s) }
	}
	tests := []struct {
		name string
		args []string
		end  func(demo *exec.Cmd, out io.Closer)
	}{
		{"output is cut off", nil, func(_ *exec.Cmd, out io.Closer) { out.Close() }},
		{"TERM", nil, signal(syscall.SIGTERM)},
		{"INT", nil, signal(syscall.SIGINT)},
		{"KILL", nil, signal(syscall.SIGKILL)},
		{"verbose, output is cut off", []string{"--verbose"}, func(_ *exec.Cmd, out io.Closer) { out.Close() }},
		{"verbose, TERM", []string{"--verbose"}, signal(syscall.SIGTERM)},
		{"verbose, INT", []string{"--verbose"}, signal(syscall.SIGINT)},
		{"verbose, KILL", []string{"--verbose"}, signal(syscall.SIGKILL)},
		{"agent, output is cut off", []string{"--agent"}, func(_ *exec.Cmd, out io.Closer) { out.Close() }},
		{"agent, TERM", []string{"--agent"}, signal(syscall.SIGTERM)},
		{"agent, HUP", []string{"--agent"}, signal(syscall.SIGHUP)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			demo := exec.Command(programName, append([]string{"demo"}, tt.args...)...)
			demo.Env = append(os.Environ(), "TMPDIR="+dir)
			in, err := demo.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := demo.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := demo.Start(); err != nil {
				t.Fatal(err)
			}
			defer demo.Process.Kill()
			if slices.Contains(tt.args, "--agent") { // it does not speak first
				requests := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}` + "\n"
				if _, err := io.WriteString(in, requests); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := io.ReadFull(out, make([]byte, 100)); err != nil {
				t.Fatal(err)
			}
			tt.end(demo, out)
			// What hangs must fail, not hang the test.
			limit := time.AfterFunc(20*time.Second, func() {
				t.Error("the demo does not end")
				demo.Process.Kill()
			})
			defer limit.Stop()
			demo.Wait()
			left, err := os.ReadDir(dir)
			if err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}
