package programtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// plainAgent is the agent of tests that run on every system, where a shell
// script cannot be one. It does what its arguments say, one after another:
//
//	say=TEXT    write a line to stdout
//	print=TEXT  write to stdout without a newline
//	err=TEXT    write a line to stderr
//	file=NAME   write what is in the file to stdout
//	line        read a line from stdin
//	cat         write stdin to stdout until it ends
//	hang        stay for a minute, whatever happens to stdin
//	exit=N      exit with this status
//	args        write the remaining arguments to stdout, one a line, and exit
func plainAgent() {
	for i, word := range os.Args[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "say":
			fmt.Println(value)
		case "print":
			fmt.Print(value)
		case "err":
			fmt.Fprintln(os.Stderr, value)
		case "file":
			text, err := os.ReadFile(value)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(98)
			}
			os.Stdout.Write(text)
		case "line":
			bufio.NewReaderSize(os.Stdin, 16).ReadString('\n')
		case "cat":
			io.Copy(os.Stdout, os.Stdin)
		case "hang":
			time.Sleep(time.Minute)
		case "exit":
			n, _ := strconv.Atoi(value)
			os.Exit(n)
		case "args":
			for _, arg := range os.Args[i+2:] {
				fmt.Println(arg)
			}
			return
		default:
			fmt.Fprintln(os.Stderr, "unknown word", word)
			os.Exit(99)
		}
	}
}

// scriptCommands are what the scripts in testdata/cli have besides the commands
// of testscript.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"status":  status,
	"private": private,
}

// status runs a program that must exit with a status: status N PROGRAM [args].
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N PROGRAM [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// private checks that a file has the mode that this system gives to a file for
// its owner only: private FILE.
func private(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: private FILE")
	}
	example := filepath.Join(ts.MkAbs("."), ".private")
	ts.Check(os.WriteFile(example, nil, 0o600))
	defer os.Remove(example)
	want, err := os.Stat(example)
	ts.Check(err)
	got, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got.Mode() != want.Mode() {
		ts.Fatalf("%s has mode %v, want %v", args[0], got.Mode(), want.Mode())
	}
}

// condition says what a script can count on besides the conditions of
// testscript: [signals], that processes can be sent signals; [modes], that a file
// can be made not executable; [file:/dev/full], that there is this file of the
// system.
func condition(name string) (bool, error) {
	if path, ok := strings.CutPrefix(name, "file:"); ok {
		_, err := os.Stat(path)
		return err == nil, nil
	}
	switch name {
	case "signals":
		self, err := os.FindProcess(os.Getpid())
		return err == nil && self.Signal(syscall.Signal(0)) == nil, nil
	case "modes":
		dir, err := os.MkdirTemp("", "modes")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return false, err
		}
		stat, err := os.Stat(file)
		return err == nil && stat.Mode().Perm() == 0o600, err
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
