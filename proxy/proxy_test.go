package proxy

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/proxy/programtest/needs"
)

// The proxy opens no network connection: it imports nothing that could.
func TestProxyKnowsNoNetwork(t *testing.T) {
	packages, err := exec.Command(needs.Program(t, "go"), "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(strings.Fields(string(packages)), "net") {
		t.Error("package proxy depends on package net")
	}
}
