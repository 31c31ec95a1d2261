package bridgetest

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Talks plays the conversations of the file in testdata that has the name of the test, each
// with a new peer. They are written as in testdata/conversations, one line a message:
//
//	# the rule that the conversation verifies
//	options {…}         argument of newPeer
//	client> MESSAGE     what happens, see Full; also agent>
//	agent< MESSAGE      output, in order; also client<
//	lost KIND NAME      a loss
//	foreign             the receiver's schema does not define an output line
//	wait 90ms           time passes
//	gone                the agent ends
//
// For a long text, [[x*5000]] is x 5000 times; x can have the escapes of Go.
func Talks(t *testing.T, client int, newPeer func(options string) *Peer) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + strings.ToLower(strings.TrimPrefix(t.Name(), "Test")) + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	repeated := regexp.MustCompile(`\[\[(.+?)\*(\d+)\]\]`)
	long := repeated.ReplaceAllStringFunc(string(text), func(short string) string {
		parts := repeated.FindStringSubmatch(short)
		once, _ := strconv.Unquote(`"` + parts[1] + `"`)
		n, _ := strconv.Atoi(parts[2])
		return strings.Repeat(once, n)
	})
	for _, talk := range strings.Split("\n"+long, "\n# ")[1:] {
		name, lines, _ := strings.Cut(talk, "\n")
		options := ""
		var steps []Step
		for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
			mark, rest, _ := strings.Cut(line, " ")
			switch mark {
			case "options":
				options = rest
				continue
			case "client>", "agent>", "wait":
				steps = append(steps, parseStep(line))
				continue
			case "gone":
				steps = append(steps, Gone())
				continue
			}
			switch s := &steps[len(steps)-1]; mark {
			case "client<", "agent<":
				s.Want = append(s.Want, line)
			case "lost":
				s.Losses = append(s.Losses, rest)
			case "foreign":
				s.foreign = true
			default:
				t.Fatalf("%s: no line of a conversation: %s", name, line)
			}
		}
		t.Run(name, func(t *testing.T) {
			p := newPeer(options)
			p.Judge = NewJudge(t, client)
			p.play(t, steps)
		})
	}
}
