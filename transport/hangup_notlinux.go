//go:build unix && !linux

package transport

const hangupEvents = 0 // poll always reports POLLHUP
