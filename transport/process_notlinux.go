//go:build unix && !linux

package transport

import "syscall"

// groupAttr makes the agent the leader of a new session, which has no terminal,
// and so of a new group. When the proxy dies, the agent sees only the end of its
// stdin.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// awaitExit waits for the leader's exit and reaps it. Some systems cannot wait
// without reaping. On macOS waitid also returns when the process stops
// (go.dev/issue/19314).
func (g *group) awaitExit() {
	g.reap()
	g.signal(0) // sets gone for an empty group before the system reuses its id
}

// hasOnlyZombies returns false: the state of the members is not available.
func (g *group) hasOnlyZombies() bool { return false }
