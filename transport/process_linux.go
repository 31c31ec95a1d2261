package transport

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr makes the agent the leader of a new session, which has no terminal,
// and so of a new group. The system sends KILL to the agent when the proxy dies,
// not TERM, because no process would send KILL to an agent that ignores TERM. If
// the proxy dies before the child has called prctl, the agent sees only the end of
// its stdin.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit waits for the leader's exit. It does not reap the leader, except on
// systems that emulate Linux without this system call.
func (g *group) awaitExit() {
	for {
		err := unix.Waitid(unix.P_PID, g.agent.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			g.reap()
		}
		return
	}
}

// hasOnlyZombies reports whether all members of the group are zombies. A signal to
// zombies succeeds, and in many containers no process reaps them. Reading /proc
// takes milliseconds, so isEmpty sends a signal first.
func (g *group) hasOnlyZombies() bool {
	proc, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return false
	}
	pgid := []byte(strconv.Itoa(g.agent.Process.Pid))
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // the process has ended
		}
		// pid (command) state ppid pgrp …, where the command is any text.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 3 || !bytes.Equal(fields[2], pgid) {
			continue
		}
		if state := fields[0][0]; state != 'Z' && state != 'X' {
			return false
		}
	}
	return true
}
