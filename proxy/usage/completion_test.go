package usage

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lines are typed, and want is what can take the place of the last word. There is a
// program "some-agent", which has the flag --inner, and two files, plan-a and
// plan-b. A part in front of "=" is left out of want.
var lines = []struct{ line, want string }{
	{"some-proxy ", "demo print translate try view"},
	{"some-proxy transl", "translate"},
	{"some-proxy --", "--all --grace --help --log --merge --shows"},
	{"some-proxy --lo", "--log"},
	{"some-proxy some-a", "some-agent"},

	// Values.
	{"some-proxy --merge ", "all latest"},
	{"some-proxy --merge l", "latest"},
	{"some-proxy --merge=", "all latest"},
	{"some-proxy --merge=l", "latest"},
	{"some-proxy --shows ", "auto items markdown old"},
	{"some-proxy --shows=items,", "items,items items,markdown"},
	{"some-proxy --shows items,m", "items,markdown"},
	{"some-proxy --merge=all,l", ""},
	{"some-proxy --log plan-", "plan-a plan-b"},
	{"some-proxy --log=plan-", "plan-a plan-b"},
	{"some-proxy --grace ", ""},
	{"some-proxy --all --merge=l", "latest"},

	// The agent, and as it completes.
	{"some-proxy --grace 1s some-a", "some-agent"},
	{"some-proxy --grace=1s --all some-a", "some-agent"},
	{"some-proxy --shows --all some-agent --in", "--inner"},
	{"some-proxy --all transl", ""},
	{"some-proxy -- some-a", "some-agent"},
	{"some-proxy -- transl", ""},
	{"some-proxy -- --lo", ""},
	{"some-proxy some-agent --in", "--inner"},
	{"some-proxy some-agent --lo", ""},
	{"some-proxy some-agent --", "--inner"},
	{"some-proxy some-agent --foo --in", "--inner"},
	{"some-proxy -- some-agent --in", "--inner"},
	{"some-proxy --log x --shows=old some-agent --in", "--inner"},

	// The commands.
	{"some-proxy translate --", "--help --merge"},
	{"some-proxy translate --merge=", "all latest"},
	{"some-proxy translate plan-", "plan-a plan-b"},
	{"some-proxy translate --merge all plan-", "plan-a plan-b"},
	{"some-proxy translate some-a", ""},
	{"some-proxy demo --", "--help"},
	{"some-proxy demo plan-", ""},
	{"some-proxy view --shows=", "new old"},
	{"some-proxy view --html plan-", "plan-a plan-b"},
	{"some-proxy view plan-a --te", "--text"},
	{"some-proxy view --addr=x plan-", "plan-a plan-b"},
	{"some-proxy view -- plan-", "plan-a plan-b"},

	// Commands that run the agent.
	{"some-proxy try --", "--help --json"},
	{"some-proxy try some-a", "some-agent"},
	{"some-proxy try --json some-a", "some-agent"},
	{"some-proxy try -- some-a", "some-agent"},
	{"some-proxy try transl", ""},
	{"some-proxy try some-agent --in", "--inner"},
	{"some-proxy try --json -- some-agent --in", "--inner"},
	{"some-proxy try some-agent --js", ""},
	{"some-proxy print ", "one two"},
	{"some-proxy print t", "two"},
	{"some-proxy print some-a", ""},
	{"some-proxy print two some-a", "some-agent"},
	{"some-proxy print two -- some-a", "some-agent"},
	{"some-proxy print two some-agent --in", "--inner"},
	{"some-proxy print two -- some-agent --in", "--inner"},
}

// TestBash calls the function as bash does, with and without "=" between words.
func TestBash(t *testing.T) {
	const functions = `
# Of bash-completion, which need not be there.
_command_offset() {
	[ "${COMP_WORDS[$1]}" = some-agent ] || echo "wrong offset $1"
	COMPREPLY=($(compgen -W --inner -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete_line() {
	COMP_WORDS=(some-proxy "$@") COMP_CWORD=$# COMPREPLY=(left over)
	_some_proxy
	echo @
	printf '%s\n' "${COMPREPLY[@]}"
}
`
	for name, equals := range map[string]string{"words with =": "=", "words without =": " = "} {
		t.Run(name, func(t *testing.T) {
			script := functions
			for _, l := range lines {
				words := strings.ReplaceAll(l.line, "=", equals)
				if strings.HasSuffix(l.line, "=") {
					words = strings.TrimSuffix(words, " ") // the cursor is at "="
				}
				script += "complete_line"
				for _, w := range strings.Split(words, " ")[1:] {
					script += " " + quote(w)
				}
				script += "\n"
			}
			check(t, "bash", "--norc", "-c", `. "$0"`+"\n"+script)
		})
	}
}

func TestFish(t *testing.T) {
	script := "source $argv[1]; complete -c some-agent -l inner\n"
	for _, l := range lines {
		script += fmt.Sprintf("echo @; complete -C '%s'\n", l.line)
	}
	check(t, "fish", "-c", script)
}

// TestZsh types the lines into an interactive zsh.
func TestZsh(t *testing.T) {
	// Completion functions hand their matches to compadd.
	const setup = `
PS1=ready LISTMAX=1000
setopt extended_glob
autoload -Uz compinit && compinit -D -u
source $COMPLETION
_inner() { compadd -- --inner }
compdef _inner some-agent
compadd() {
	if [[ " ${@[1,(i)(-|--)]}" != *\ -[a-zA-Z]#[OAD]* ]]; then
		local -a matches
		builtin compadd -O matches "$@"
		(( $#matches )) && print -rl -- $IPREFIX$^matches >>matches
	fi
	builtin compadd "$@"
}
capture() {
	print @ >>matches
	_main_complete
	compstate[insert]= compstate[list]=
}
zle -C capture complete-word capture
bindkey '^I' capture
`
	script := "zmodload zsh/zpty\nexport COMPLETION=$0 SETUP=" + quote(setup) +
		"\nzpty typed $SHELL -f -i\nzpty -w typed 'eval $SETUP'\nzpty -r typed line '*ready*'\n"
	for _, l := range lines {
		script += fmt.Sprintf("zpty -wn typed %s$'\\t\\x15'\n", quote(l.line))
	}
	script += "zpty -w typed exit\nwhile zpty -r typed line; do print -r -- $line >&2; done\nprint -r -- \"$(<matches)\"\n"
	check(t, "zsh", "-f", "-c", script)
}

// skip says why the test cannot run here. Where tests are required that is a
// failure.
func skip(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("ACP_PLAN_PROXY_TEST_REQUIRE") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// check runs a shell with the file of its completions and compares what it prints.
// For each of lines this is "@" and the completions.
func check(t *testing.T, shell string, args ...string) {
	path, err := exec.LookPath(shell)
	if err != nil {
		skip(t, err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return name
	}
	completion, err := sample().Completion(shell)
	if err != nil {
		t.Fatal(err)
	}
	write("plan-a", "")
	write("plan-b", "")
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath(write("bin/some-agent", "#!/bin/sh\n")); err != nil {
		skip(t, err) // on Windows a script is not a program
	}
	write("bin/some-proxy", "#!/bin/sh\n")

	var stderr strings.Builder
	cmd := exec.Command(path, append(args, write("completion", completion))...)
	cmd.Dir = dir
	cmd.Stderr = &stderr
	cmd.Env = []string{"HOME=" + dir, "SHELL=" + path, "TERM=dumb", "PATH=" + filepath.Join(dir, "bin")}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	results := strings.Split(string(out), "@\n")[1:]
	if len(results) != len(lines) {
		t.Fatalf("%d lines were completed, not %d:\n%s\n%s", len(results), len(lines), out, &stderr)
	}
	decoration := regexp.MustCompile(`^--[a-z]+=(.+)|(.*?)=?$`)
	for i, l := range lines {
		var got []string
		for match := range strings.Lines(results[i]) {
			match, _, _ = strings.Cut(strings.TrimSpace(match), "\t")
			match = decoration.ReplaceAllString(match, "$1$2")
			// Before a word only bash shows flags. In the other shells the user
			// types "-" to see them.
			if match != "" && (!strings.HasSuffix(l.line, " ") || match[0] != '-') {
				got = append(got, match)
			}
		}
		slices.Sort(got)
		if got := strings.Join(slices.Compact(got), " "); got != l.want {
			t.Errorf("%s:\n got %s\nwant %s", l.line, got, l.want)
		}
	}
	if t.Failed() {
		t.Log(stderr.String())
	}
}
