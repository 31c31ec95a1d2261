//go:build unix

package programtest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPlayedClientEnds ends the client of a recording while a request is pending. The agent must
// end too.
func TestPlayedClientEnds(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "recording")
	if err := os.WriteFile(recording, []byte(`{"id":1,"method":"initialize","params":{}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]func(play *exec.Cmd, out io.Closer){
		"TERM":              func(play *exec.Cmd, _ io.Closer) { play.Process.Signal(syscall.SIGTERM) },
		"HUP":               func(play *exec.Cmd, _ io.Closer) { play.Process.Signal(syscall.SIGHUP) },
		"output is cut off": func(_ *exec.Cmd, out io.Closer) { out.Close() },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			play := exec.Command(programName, "play", recording, "--", "sh", "-c", "(while echo said; do sleep 0.05; done) & cat >/dev/null; kill $!")
			out, err := play.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := play.Start(); err != nil {
				t.Fatal(err)
			}
			defer play.Process.Kill()
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "said\n" {
				t.Fatalf("%q, %v", line, err)
			}
			end(play, out)
			limit := time.AfterFunc(20*time.Second, func() {
				t.Error("play does not exit")
				play.Process.Kill()
			})
			defer limit.Stop()
			go io.Copy(io.Discard, out)
			play.Wait()
			if status := play.ProcessState.ExitCode(); status != 1 {
				t.Errorf("exit status %d, want 1", status)
			}
		})
	}
}
