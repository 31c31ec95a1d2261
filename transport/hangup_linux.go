package transport

import "golang.org/x/sys/unix"

// POLLRDHUP also reports a socket whose peer has shut down only its sending side.
const hangupEvents = unix.POLLRDHUP
