//go:build unix

package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manyPlans is how many plan messages, at --log-level=debug, make more records
// than a pipe and the program's queue take.
const manyPlans = 10_000

// echo is an agent that answers initialize and sends back what it gets then.
const echo = `read initialize; echo '{"id":0,"result":{"protocolVersion":1}}'; exec cat`

// passPlans sends plan messages through the program, with echo as the agent,
// and returns when all have arrived.
func (w *wrapped) passPlans(n int) {
	w.t.Helper()
	go func() {
		to := bufio.NewWriter(w.in)
		io.WriteString(to, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
		for i := range n {
			fmt.Fprintf(to, `{"method":"session/update","params":{"sessionId":"s%d","update":{"sessionUpdate":"plan","entries":[]}}}`+"\n", i)
		}
		to.Flush()
	}()
	from := bufio.NewScanner(w.out)
	arrived := 0
	for arrived < n+1 && from.Scan() {
		arrived++
	}
	if arrived < n+1 {
		w.t.Fatalf("%d messages of %d arrived: %v", arrived, n+1, from.Err())
	}
}

var (
	planRecord    = regexp.MustCompile(`^time=\S+ level=DEBUG msg="plan message" direction="agent to client" session=s(\d+) .* action=forward reason=.+$`)
	otherRecord   = regexp.MustCompile(`^time=\S+ level=(INFO|WARN) msg=\S.*$`)
	droppedRecord = regexp.MustCompile(`^time=\S+ level=WARN msg="log records were dropped.*" dropped=(\d+)$`)
)

// checkLog checks that the records of all plan messages are there, whole and in
// order, or counted as dropped; and that some were dropped, and said to be.
func checkLog(t *testing.T, log io.Reader) {
	t.Helper()
	said, last, dropped := 0, -1, 0
	for lines := bufio.NewScanner(log); lines.Scan(); {
		line := lines.Text()
		if m := droppedRecord.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			dropped += n
		} else if m := planRecord.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			if n <= last {
				t.Fatalf("record %d follows %d", n, last)
			}
			said, last = said+1, n
		} else if !otherRecord.MatchString(line) {
			t.Fatalf("not a whole record: %q", line)
		}
	}
	if dropped == 0 || said == 0 || said+dropped != manyPlans {
		t.Errorf("%d records and %d dropped, want %d in all", said, dropped, manyPlans)
	}
}

// What does not read the log cannot hold up the traffic, or the end, whichever
// way that comes.
func TestLogNotRead(t *testing.T) {
	pipe := func(t *testing.T) (read, write *os.File, flags []string) {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return read, write, nil
	}
	fifo := func(t *testing.T) (read, write *os.File, flags []string) {
		name := makeFIFO(t)
		read, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return read, nil, []string{"--log-file=" + name}
	}
	for name, open := range map[string]func(t *testing.T) (read, write *os.File, flags []string){"stderr": pipe, "file": fifo} {
		for end, stop := range map[string]func(w *wrapped) (status int){
			"client closes": func(w *wrapped) int { w.in.Close(); return 0 },
			"TERM":          func(w *wrapped) int { w.cmd.Process.Signal(syscall.SIGTERM); return 128 + int(syscall.SIGTERM) },
		} {
			t.Run(name+", "+end, func(t *testing.T) {
				read, write, flags := open(t)
				defer read.Close()
				w := wrapLoggingTo(t, write, echo, append(flags, "--log-level=debug")...)
				w.passPlans(manyPlans)
				w.ends(stop(w))
			})
		}
	}
}

// What the user is told in addition to the log cannot keep the program from
// ending.
func TestErrorNotRead(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	write.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := write.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the pipe is not full: %v", err)
	}
	cmd := exec.Command(programName, "--", "no-such-agent")
	cmd.Stderr = write
	limit := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer limit.Stop()
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != 127 {
		t.Errorf("exit status %d", got)
	}
}

// When there is room again, the log goes on, and says how much is missing.
func TestLogReadLate(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	w := wrapLoggingTo(t, write, echo, "--log-level=debug")
	write.Close()
	w.passPlans(manyPlans)
	reader, toReader := io.Pipe()
	roomAgain := make(chan struct{})
	go func() {
		defer toReader.Close()
		log := bufio.NewScanner(read)
		for seen := false; log.Scan(); fmt.Fprintln(toReader, log.Text()) {
			if !seen && droppedRecord.MatchString(log.Text()) {
				seen = true
				close(roomAgain)
			}
		}
	}()
	go func() {
		<-roomAgain
		w.in.Close()
	}()
	checkLog(t, reader)
	w.ends(0)
}

// A FIFO that nobody reads yet is waited for without holding up anything.
func TestFIFOWithoutReader(t *testing.T) {
	for _, flags := range [][]string{{"--log-level=debug", "--log-file="}, {"--trace-all", "--trace="}} {
		name := makeFIFO(t)
		flags[1] += name
		w := wrap(t, echo, flags...)
		w.passPlans(manyPlans)
		w.in.Close()
		w.ends(0)

		w = wrap(t, echo, flags...)
		w.passPlans(10)
		read, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		w.in.Close()
		got, err := io.ReadAll(read)
		read.Close()
		if n := strings.Count(string(got), "session/update\"") + strings.Count(string(got), "level=DEBUG"); err != nil || n != 10 && n != 20 {
			t.Errorf("%v: %d messages: %v\n%s", flags, n, err, got)
		}
		w.ends(0)
	}
}

// A trace that is not written fast enough, here to a reader that does not read,
// is warned of, and holds up nothing.
func TestTraceNotRead(t *testing.T) {
	name := makeFIFO(t)
	read, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	log := filepath.Join(t.TempDir(), "log")
	w := wrap(t, echo, "--trace-all", "--trace="+name, "--log-file="+log)
	w.passPlans(manyPlans)
	w.in.Close()
	w.ends(0)
	logged := string(readFile(t, log))
	if n := strings.Count(logged, "the trace"); n != 1 {
		t.Errorf("%d records about the trace:\n%s", n, logged)
	}
}

func makeFIFO(t *testing.T) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A client that asks and asks, and reads no answer of the program itself, is not
// listened to any more. The agent ends all the same when the client does.
func TestAnswersNotRead(t *testing.T) {
	const most = 8 << 20 // bytes of requests that the program and two pipes may take
	for end, stop := range map[string]func(w *wrapped, agentEnds func()) (status int){
		"client closes": func(w *wrapped, agentEnds func()) int {
			w.in.Close()
			agentEnds()
			io.Copy(io.Discard, w.out)
			return 3
		},
		"client is gone": func(w *wrapped, agentEnds func()) int {
			w.out.Close()
			w.in.Close()
			agentEnds()
			return 3
		},
		"TERM": func(w *wrapped, _ func()) int {
			w.cmd.Process.Signal(syscall.SIGTERM)
			return 128 + int(syscall.SIGTERM)
		},
	} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			name, grace := makeFIFO(t), "20s"
			if end == "TERM" {
				grace = "300ms" // for the client to read
			}
			w := wrap(t, `read i; echo '{"id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}}'
				cat >/dev/null; echo over >'`+name+`'; exit 3`, "--grace="+grace)
			io.WriteString(w.in, `{"id":0,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
			w.gets(`"authMethods":[]}}`)
			w.in.SetWriteDeadline(time.Now().Add(time.Second))
			n, err := io.Copy(w.in, strings.NewReader(strings.Repeat(`{"id":1,"method":"session/prompt"}`+"\n", 2*most/35)))
			if n > most || err == nil {
				t.Errorf("%d bytes were taken, %v", n, err)
			}
			w.ends(stop(w, func() {
				if over, err := os.ReadFile(name); string(over) != "over\n" {
					t.Errorf("the agent ends with %q, %v", over, err)
				}
			}))
		})
	}
}
