//go:build unix && !linux

package transport

import "syscall"

// groupAttr makes the agent the leader of a session, which has no terminal, and
// so of a group. When the proxy dies, only the end of its stdin tells the agent.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// awaitExit returns when the leader has exited, and reaps it. Some systems
// cannot wait without reaping, and on macOS it is broken: waitid also returns
// when the process stops (go.dev/issue/19314).
func (g *group) awaitExit() {
	g.reap()
	g.signal(0) // marks an empty group gone before its id can be used again
}

// onlyZombies reports false: this system does not tell.
func (g *group) onlyZombies() bool { return false }
