package trace

import (
	"math"
	"strconv"
	"strings"
)

// The ranks of the two ends.
const (
	ClientRank = 0
	AgentRank  = math.MaxInt
)

// Rank orders components along the connection, from the client on. The proxies of a chain
// are numbered: Proxy(0), or proxy:0 in older recordings. Whatever has no number that can
// be read is where the only proxy is.
func (c Component) Rank() int {
	switch c {
	case Client:
		return ClientRank
	case Proxy:
		return 1
	case Agent:
		return AgentRank
	}
	name := strings.ToLower(string(c))
	switch {
	case strings.HasPrefix(name, "client"):
		return ClientRank
	case strings.HasPrefix(name, "agent"):
		return AgentRank
	}
	isNoDigit := func(r rune) bool { return r < '0' || r > '9' }
	name = strings.TrimLeftFunc(name, isNoDigit)
	if end := strings.IndexFunc(name, isNoDigit); end >= 0 {
		name = name[:end]
	}
	n, err := strconv.ParseInt(name, 10, 31)
	if err != nil {
		return 1
	}
	return 1 + int(n)
}
