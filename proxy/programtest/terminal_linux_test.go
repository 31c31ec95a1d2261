package programtest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// A terminal is a pseudoterminal.
type terminal struct {
	t      *testing.T
	keys   *os.File // the side of the user
	device *os.File // stdin, stdout and stderr of programs
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	conn, err := keys.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	conn.Control(func(fd uintptr) {
		if number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err == nil {
			err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	device, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		keys.Close()
		device.Close()
	})
	return &terminal{t, keys, device}
}

// run starts a command with the terminal as its stdin and stdout, unless they are set, and as its
// stderr. A timer kills the command, so that a hanging one fails the test.
func (term *terminal) run(cmd *exec.Cmd) *exec.Cmd {
	term.t.Helper()
	if cmd.Stdin == nil {
		cmd.Stdin = term.device
	}
	if cmd.Stdout == nil {
		cmd.Stdout = term.device
	}
	cmd.Stderr = term.device
	// Ctty is a descriptor in the child.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2}
	if err := cmd.Start(); err != nil {
		term.t.Fatal(err)
	}
	limit := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	term.t.Cleanup(func() {
		limit.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// shows waits until the terminal shows a text.
func (term *terminal) shows(text string) {
	term.t.Helper()
	term.keys.SetReadDeadline(time.Now().Add(30 * time.Second))
	var got strings.Builder
	for b := make([]byte, 1); !strings.Contains(got.String(), text); got.Write(b) {
		if _, err := term.keys.Read(b); err != nil {
			term.t.Fatalf("the terminal shows %q, not %q: %v", got.String(), text, err)
		}
	}
}

// typed sends keys to the terminal.
func (term *terminal) typed(keys string) {
	term.t.Helper()
	if _, err := io.WriteString(term.keys, keys); err != nil {
		term.t.Fatal(err)
	}
}

func ended(t *testing.T, cmd *exec.Cmd, status int) {
	t.Helper()
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d", got, status)
	}
}

// TestAgentReplacesProgram checks that the agent replaces the program on a terminal, with any
// flags.
func TestAgentReplacesProgram(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "trace.jsonl")
	for _, flags := range [][]string{nil, {"--trace=" + recording, "--log-level=debug", "--client=v2"}} {
		term := newTerminal(t)
		const agent = `test -t 0 && test -t 1 && echo "terminal of $$"; read -r answer </dev/tty; echo "<$answer>"; exit 7`
		cmd := term.run(exec.Command(programName, append(flags, "--", "sh", "-c", agent)...))
		if flags != nil {
			term.shows("nothing is recorded")
		}
		term.shows("terminal of " + strconv.Itoa(cmd.Process.Pid))
		term.typed("yes\n")
		term.shows("<yes>")
		ended(t, cmd, 7)
	}
	if _, err := os.Stat(recording); err == nil {
		t.Error("the recording exists")
	}
}

// TestPlayOnTerminal checks the message of play if stdin is a terminal instead of a client.
func TestPlayOnTerminal(t *testing.T) {
	term := newTerminal(t)
	cmd := term.run(exec.Command(programName, "play", "markdown-plan"))
	term.shows("waits for a client on standard input")
	term.typed("\x04")
	ended(t, cmd, 0)
}

// TestAgentHasNoTerminal checks that an agent behind the proxy has no controlling terminal: its
// accesses fail at once instead of stopping it.
func TestAgentHasNoTerminal(t *testing.T) {
	// With a terminal, each line would block or stop the agent.
	const agent = `test -t 2 && echo has a log
		(read -r answer </dev/tty) 2>/dev/null || echo cannot read
		(stty sane </dev/tty) 2>/dev/null || echo cannot change
		exit 3`
	const want = "has a log\ncannot read\ncannot change\n"
	args := []string{"--stray=pass", "--", "sh", "-c", agent}

	term := newTerminal(t)
	cmd := exec.Command(programName, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	ended(t, term.run(cmd), 3)
	if out.String() != want {
		t.Errorf("with stdin a terminal: got %q, want %q", out.String(), want)
	}

	term = newTerminal(t)
	cmd = exec.Command(programName, args...)
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer stdin.Close()
	cmd.Stdin = stdin
	term.run(cmd)
	term.shows(strings.ReplaceAll(want, "\n", "\r\n"))
	ended(t, cmd, 3)
}

// TestInterruptKey checks that Ctrl-C ends the program and the agent, although only the program's
// stdin is a terminal.
func TestInterruptKey(t *testing.T) {
	term := newTerminal(t)
	cmd := exec.Command(programName, ample, "--", "sh", "-c", "echo ready >&2; exec sleep 1000")
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout = stdout
	term.run(cmd)
	stdout.Close()
	term.shows("ready")
	term.typed("\x03")
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 { // EOF requires that the agent has exited
		t.Errorf("%q, %v", rest, err)
	}
	ended(t, cmd, 128+int(syscall.SIGINT))
}

// TestHangup checks that closing the terminal ends the program and the agent.
func TestHangup(t *testing.T) {
	term := newTerminal(t)
	cmd := exec.Command(programName, ample, "--", "sh", "-c", "echo ready >&2; exec sleep 1000")
	var out bytes.Buffer
	cmd.Stdout = &out
	term.run(cmd)
	term.shows("ready")
	term.keys.Close()
	ended(t, cmd, 128+int(syscall.SIGHUP))
}

// TestAgentInherits checks that an agent inherits the same attributes from its parent with the
// program and without it, behind the proxy and on a terminal.
func TestAgentInherits(t *testing.T) {
	// Compare only the numbers of descriptors, because each run has its own pipes.
	const agent = `exec >&2; umask; ulimit -a -S; ulimit -a -H; pwd; env | grep -v ^_= | sort
		grep -E '^(SigBlk|SigIgn|NoNewPrivs|Seccomp|Cpus_allowed|Groups|Cap...):' /proc/self/status
		cut -d' ' -f19 /proc/self/stat; cat /proc/self/oom_score_adj; ls /proc/self/fd; cat <&5`
	run := func(prepare string, onTerminal bool, program ...string) string {
		t.Helper()
		cmd := exec.Command("sh", append([]string{"-c", prepare + `; exec "$@"`, "sh"}, append(program, "sh", "-c", agent)...)...)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		five, end, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer five.Close()
		fmt.Fprint(end, "handed over\n")
		end.Close()
		cmd.Stderr = w
		cmd.ExtraFiles = []*os.File{nil, nil, five}
		if onTerminal {
			device := newTerminal(t).device
			cmd.Stdin, cmd.Stdout = device, device
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		got, err := io.ReadAll(r)
		if err != nil {
			t.Error(err)
		}
		ended(t, cmd, 0)
		return string(got)
	}
	for _, prepare := range []string{
		":",
		"umask 027; ulimit -S -n 200; ulimit -c 0; trap '' HUP INT; cd /; export EMPTY= ODD='a=b'; renice -n 5 $$ >/dev/null",
	} {
		want := run(prepare, false)
		if !strings.Contains(want, "handed over") {
			t.Fatalf("without the program, descriptor 5 is not inherited:\n%s", want)
		}
		for _, onTerminal := range []bool{false, true} {
			got := run(prepare, onTerminal, programName, "--")
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("after %q, terminal %v: (-without +with the program)\n%s", prepare, onTerminal, diff)
			}
		}
	}
}

// TestDemoFitsTerminal checks that the demo uses the width of the terminal, and colours.
func TestDemoFitsTerminal(t *testing.T) {
	const width = 64
	term := newTerminal(t)
	conn, err := term.device.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	conn.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width})
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(programName, "demo")
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=")
	term.run(cmd)
	term.shows("\x1b[2m" + strings.Repeat("─", width) + "\x1b[0m\r\n")
}
