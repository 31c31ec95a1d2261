"use strict";

// Returns the path of the program for this platform. It throws if its package is
// not installed.
module.exports = () => {
  const name = process.platform === "win32" ? "acp-plan-proxy.exe" : "acp-plan-proxy";
  return require.resolve(`@acp-plan-proxy/${process.platform}-${process.arch}/bin/${name}`);
};
