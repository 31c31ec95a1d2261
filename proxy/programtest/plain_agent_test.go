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

// plainAgent is an agent for tests that run on every system, including those without a shell.
// It executes its arguments in order:
//
//	say=TEXT    write a line to stdout
//	print=TEXT  write to stdout without a newline
//	err=TEXT    write a line to stderr
//	file=NAME   write the contents of the file to stdout
//	line        read a line from stdin
//	cat         write stdin to stdout until it ends
//	hang        sleep for a minute, even after the end of stdin
//	exit=N      exit with this status
//	args        write the remaining arguments to stdout, one per line, and exit
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
			fmt.Fprintln(os.Stderr, "unknown argument", word)
			os.Exit(99)
		}
	}
}

// scriptCommands adds commands to testscript for the scripts in testdata/cli.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"status":  checkStatus,
	"private": private,
}

// checkStatus runs a program that must exit with a status: status N PROGRAM [args].
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
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

// private checks that a file has the mode that this system gives files created with 0600: private
// FILE.
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

// condition adds conditions to testscript: [signals], the system can send signals to processes;
// [modes], files can be non-executable; [file:/dev/full], the system has this file.
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
