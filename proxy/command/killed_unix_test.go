//go:build unix

package command

// killedStatus is the program's status when its agent was killed.
const killedStatus = 128 + 9
