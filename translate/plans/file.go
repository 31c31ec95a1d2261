package plans

import (
	"cmp"
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
	p := uri
	if !filepath.IsAbs(uri) && filepath.VolumeName(uri) == "" {
		u, err := url.Parse(uri)
		switch {
		case err != nil || u.Scheme != "file" || u.User != nil || u.RawQuery != "" || u.Opaque != "":
			return "", errors.New("neither a plain file: URI nor an absolute path")
		case u.Host != "" && !strings.EqualFold(u.Host, "localhost"):
			return "", fmt.Errorf("it is on another host, %s", u.Host)
		}
		p = u.Path
		if inURI := strings.TrimPrefix(p, "/"); len(filepath.VolumeName(inURI)) == len("C:") {
			p = inURI // file:///C:/plan.md
		}
	}
	if p, ok := localPath(p); ok {
		return p, nil
	}
	return "", errors.New("not the absolute path of a file of this machine")
}

// localPath returns p in the form of this system, and whether it is the absolute path of a file
// of this machine. On Windows a path can also name another host (\\host\share\plan.md), a device
// (\\.\COM1, C:\COM1), or a file in a drive's current directory (C:plan.md). Opening such a path
// may have side effects.
func localPath(p string) (string, bool) {
	volume := filepath.VolumeName(p)
	onDrive := len(volume) == len("C:") && volume[1] == ':'
	rest := strings.TrimPrefix(filepath.Clean(p), volume+`\`)
	isDevice := onDrive && rest != "" && !filepath.IsLocal(rest)
	return filepath.FromSlash(p), filepath.IsAbs(p) && (volume == "" || onDrive) && !isDevice
}

// fileURI returns the file: URI of an absolute path, and "" for anything else. On Windows, it
// also accepts a path without a drive, because the agent may run on another machine.
func fileURI(p string) string {
	if _, ok := localPath(p); !ok && (filepath.VolumeName(p) != "" || !strings.HasPrefix(p, "/")) {
		return ""
	}
	p = filepath.ToSlash(p)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

func markdownLink(uri string) string {
	name := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "\n", " ").Replace(fileName(uri))
	target := strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "\n", "%0A").Replace(cmp.Or(fileURI(uri), uri))
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
