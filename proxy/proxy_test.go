package proxy

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The proxy opens no network connection: it imports nothing that could.
func TestProxyKnowsNoNetwork(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		skip(t, err)
	}
	packages, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(strings.Fields(string(packages)), "net") {
		t.Error("package proxy depends on package net")
	}
}
