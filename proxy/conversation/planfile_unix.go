//go:build unix

package conversation

import (
	"os"
	"syscall"
)

// openPlanFile opens a file so that a FIFO without a writer does not block.
func openPlanFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}
