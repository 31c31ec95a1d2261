//go:build unix && !linux

package transport

import "syscall"

// groupAttr makes the agent a group leader. No signal tells it of the proxy's
// death, only the end of its stdin.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitExit returns when the leader has exited and was reaped: waiting without
// reaping is missing from some systems and broken on macOS, where waitid
// returns for a stopped process as well (go.dev/issue/19314).
func (g *group) awaitExit() {
	g.reap()
	g.signal(0) // an empty group is marked gone while its id is still fresh
}

// onlyZombies reports whether the group is known to consist of zombies, which
// is not known here.
func (g *group) onlyZombies() bool { return false }
