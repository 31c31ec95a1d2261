package transport

import "golang.org/x/sys/unix"

// A socket whose peer has only stopped sending is told apart by POLLRDHUP.
const hangupEvents = unix.POLLRDHUP
