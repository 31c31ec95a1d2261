"use strict";

// Puts the program in the place of its launcher, so that Node does not even
// start. npm links its bin entries to the file itself, which can then be of any
// kind; its shims on Windows, and other package managers, run the file with Node.
const { copyFileSync, linkSync, renameSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const program = require("./program.js");

const npm = (process.env.npm_config_user_agent ?? "").startsWith("npm/");
if (npm && process.platform !== "win32") {
  const launcher = join(__dirname, "bin", "acp-plan-proxy");
  const fresh = `${launcher}.${process.pid}`;
  try {
    const from = program();
    try {
      linkSync(from, fresh);
    } catch {
      copyFileSync(from, fresh); // a file system without links
    }
    renameSync(fresh, launcher);
  } catch {
    // The launcher stays. It works too, or says what is missing.
    rmSync(fresh, { force: true });
  }
}
