package plans

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"acp-plan-proxy/translate"
)

// filePath returns the path of the file at uri, which must be a file of this machine: a file:
// URI with an absolute path and no host but localhost, or an absolute path.
func filePath(uri string) (string, error) {
	if filepath.IsAbs(uri) || filepath.VolumeName(uri) != "" {
		return localPath(uri)
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", errors.New("not a valid URI")
	case u.Scheme == "" && strings.HasPrefix(uri, "/"):
		return "", errors.New("a path without a drive")
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
	if inURI := strings.TrimPrefix(p, "/"); len(filepath.VolumeName(inURI)) == len("C:") {
		p = inURI // file:///C:/plan.md
	}
	return localPath(p)
}

// localPath returns p in the form of this system, if it is the absolute path of a file of this
// machine. On Windows a path can also name another host (\\host\share\plan.md), a device
// (\\.\COM1, C:\COM1), or a file below a drive's current directory (C:plan.md). Opening these
// may have side effects.
func localPath(p string) (string, error) {
	volume := filepath.VolumeName(p)
	onDrive := len(volume) == len("C:") && volume[1] == ':'
	switch {
	case volume != "" && !onDrive && strings.ContainsAny(volume[:min(3, len(volume))], ".?"):
		return "", errors.New("the path of a device")
	case volume != "" && !onDrive:
		return "", fmt.Errorf("it is on another host, %s", volume)
	case !filepath.IsAbs(p):
		return "", errors.New("not an absolute path")
	}
	if below := strings.TrimPrefix(filepath.Clean(p), volume+`\`); onDrive && below != "" && !filepath.IsLocal(below) {
		return "", errors.New("the path of a device")
	}
	return filepath.FromSlash(p), nil
}

// isAbsolute reports whether p is the absolute path of a file of this machine.
func isAbsolute(p string) bool {
	_, err := localPath(p)
	return err == nil
}

// fileURI returns a file: URI for an absolute path, and "" for anything else. On Windows, too,
// an agent may name a file of another machine without drives.
func fileURI(p string) string {
	if !isAbsolute(p) && (filepath.VolumeName(p) != "" || !strings.HasPrefix(p, "/")) {
		return ""
	}
	p = filepath.ToSlash(p)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

func markdownLink(uri string) string {
	target := uri
	if spelled := fileURI(uri); spelled != "" {
		target = spelled
	}
	name := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "\n", " ").Replace(fileName(uri))
	target = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "\n", "%0A").Replace(target)
	return "[" + name + "](" + target + ")"
}

// fileName returns the last element of the path of a URI.
func fileName(uri string) string {
	p := uri
	if u, err := url.Parse(uri); err == nil && u.Path != "" && !translate.IsAbsolute(uri) {
		p = u.Path
	}
	if !strings.HasPrefix(p, "/") { // a Windows path
		p = strings.ReplaceAll(p, `\`, "/")
	}
	return path.Base(p)
}
