//go:build unix && !linux

package transport

const hangupEvents = 0 // POLLHUP is reported without being asked for
