//go:build unix && !linux

package transport

// linuxAction has no actions on this system.
func linuxAction(string) bool { return false }
