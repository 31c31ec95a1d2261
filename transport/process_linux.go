package transport

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr makes the agent the leader of a session, which has no terminal, and
// so of a group. The agent is killed when the proxy dies: with KILL, because
// nobody would be left to follow a TERM up. If the proxy dies before the agent
// has asked for that signal, only the end of its stdin tells the agent.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when the leader has exited. It does not reap it, except on
// systems that run Linux programs without this system call.
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

// onlyZombies reports whether no member of the group runs any more. A signal
// cannot tell, because zombies accept signals, and in many containers nobody
// reaps zombies. Reading /proc takes milliseconds, but is done only for a group
// that is not empty.
func (g *group) onlyZombies() bool {
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
			continue // it has ended by now
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
