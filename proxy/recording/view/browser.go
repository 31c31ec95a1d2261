package view

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// OpenBrowser shows a document, given by the path of its file, in the user's
// browser. It does not wait for the browser.
//
// Every user of the machine can read the arguments of a process. So the path
// must not be a secret, and only the user may be able to read the document.
func OpenBrowser(path string) error {
	command := opener(runtime.GOOS, path)
	c := exec.Command(command[0], command[1:]...)
	if err := c.Start(); err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	go c.Wait() // its exit status is not useful
	return nil
}

// opener returns the command of an operating system that opens a file.
func opener(system, path string) []string {
	switch system {
	case "darwin":
		return []string{"open", path}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", path}
	}
	return []string{"xdg-open", path}
}

// newRedirect writes a document that leads the browser to an address that others must not see.
// The document is in a folder of its own, and only its owner can read it.
func newRedirect(address string) (path string, err error) {
	dir, err := os.MkdirTemp("", "acp-plan-proxy-view-") // for its owner alone
	if err != nil {
		return "", err
	}
	to := html.EscapeString(address)
	text := `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=` + to + `">
<title>acp-plan-proxy view</title>
<p>The plan traffic is shown <a href="` + to + `">here</a>.
`
	path = filepath.Join(dir, "view.html")
	return path, os.WriteFile(path, []byte(text), 0o600)
}
