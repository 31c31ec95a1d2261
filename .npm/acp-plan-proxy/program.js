"use strict";

const { optionalDependencies } = require("./package.json");

// Returns the path of the program for this platform. It throws if its package is
// not installed.
module.exports = () => {
  const platform = Object.keys(optionalDependencies).find((name) => name.endsWith(`/${process.platform}-${process.arch}`));
  const name = process.platform === "win32" ? "acp-plan-proxy.exe" : "acp-plan-proxy";
  return require.resolve(`${platform}/bin/${name}`);
};
