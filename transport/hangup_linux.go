package transport

import "golang.org/x/sys/unix"

// Without POLLRDHUP a socket whose peer has only stopped sending is not seen.
const hangupEvents = unix.POLLRDHUP
