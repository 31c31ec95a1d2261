package transport

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr makes the agent a group leader that is killed when the proxy
// dies. KILL, not TERM: there is nobody left to follow a TERM up. An agent
// whose parent dies before it has asked for the signal is told by its stdin
// alone.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when the leader has exited, without reaping it where the
// kernel, or what stands in for it, knows how.
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

// onlyZombies reports whether no member of the group runs any more. Signals
// cannot tell: zombies take them, and many a container's init leaves zombies
// unreaped. Reading /proc takes milliseconds, which only a group that is not
// empty costs.
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
			continue // it has ended meanwhile
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
