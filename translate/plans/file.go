package plans

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// filePath returns the path of the file that a file plan's uri names. Only a
// file of this machine is accepted: a file: URI with an absolute path and no
// host but localhost, or an absolute path in its place.
func filePath(uri string) (string, error) {
	if isAbsolute(uri) {
		return filepath.Clean(uri), nil
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", errors.New("not a valid URI")
	case u.Scheme == "":
		return "", errors.New("a relative path")
	case u.Scheme != "file":
		return "", fmt.Errorf("its scheme is %s, not file", u.Scheme)
	case u.Host != "" && !strings.EqualFold(u.Host, "localhost"):
		return "", fmt.Errorf("it is on another host, %s", u.Host)
	case u.User != nil || u.RawQuery != "" || u.Opaque != "":
		return "", errors.New("not a plain file: URI")
	}
	p := u.Path
	if filepath.Separator == '\\' && strings.HasPrefix(p, "/") {
		p = filepath.FromSlash(p[1:]) // file:///C:/plan.md
	}
	if !isAbsolute(p) {
		return "", errors.New("not an absolute path")
	}
	return filepath.Clean(p), nil
}

// isAbsolute reports whether p is the absolute path of a file of this machine.
// On Windows, a path that names a host or a device is not.
func isAbsolute(p string) bool {
	return filepath.IsAbs(p) && len(filepath.VolumeName(p)) <= len("C:")
}

// fileURI returns a file: URI for an absolute path, and "" for anything else.
func fileURI(p string) string {
	if !isAbsolute(p) {
		return ""
	}
	p = filepath.ToSlash(p)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// fileName returns the last part of the path that a uri names.
func fileName(uri string) string {
	p := uri
	if u, err := url.Parse(uri); err == nil && u.Path != "" && !isAbsolute(uri) {
		p = u.Path
	}
	return path.Base(filepath.ToSlash(p))
}
