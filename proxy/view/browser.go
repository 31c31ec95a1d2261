package view

import (
	"fmt"
	"os/exec"
	"runtime"
)

// OpenBrowser shows the page at url in the user's browser. It does not wait
// for the browser.
func OpenBrowser(url string) error {
	command := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	c := exec.Command(command[0], command[1:]...)
	if err := c.Start(); err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	go c.Wait() // for the exit status, which says nothing that helps
	return nil
}
