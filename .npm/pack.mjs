// Makes the npm packages of a release: node .npm/pack.mjs [DIST [OUT]]
//
// It reads in DIST what GoReleaser has built and which version that is, and
// writes to OUT a package with the program for each platform, and the package
// acp-plan-proxy, which depends on the one for the user's platform. Other packages
// in OUT, such as those of an earlier version, are removed.
import { execFileSync } from "node:child_process";
import {
  chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [dist = ".release/dist", out = ".release/npm"] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const launcher = join(here, "acp-plan-proxy");

// The names that the owner decides.
const owner = readFileSync(join(root, ".github", "owner.env"), "utf8");
const [, scope] = /^NPM_SCOPE=(@\S+)$/m.exec(owner) ?? [];
if (!scope) throw new Error(".github/owner.env has no NPM_SCOPE that begins with @");
const [, repository] = /^REPOSITORY=(\S+)$/m.exec(owner) ?? [];
// The registry refuses provenance from another repository than the one named here.
const origin = repository && {
  homepage: `https://github.com/${repository}`,
  repository: { type: "git", url: `git+https://github.com/${repository}.git` },
};

const readJSON = (file) => JSON.parse(readFileSync(file, "utf8"));

// Node's names of systems and architectures, by Go's names.
const systems = { linux: "linux", darwin: "darwin", windows: "win32" };
const architectures = { amd64: "x64", arm64: "arm64" };

const { version } = readJSON(join(dist, "metadata.json"));
const programs = readJSON(join(dist, "artifacts.json")).filter(({ type }) => type === "Binary");
if (programs.length === 0) throw new Error(`${dist} has no programs`);
const manifest = readJSON(join(launcher, "package.json"));

function write(folder, manifest, ...texts) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, ...origin }, null, 2) + "\n");
  for (const text of texts) copyFileSync(join(root, text), join(folder, text));
}

function writePlatform(folder, { path, goos, goarch }) {
  const [os, cpu] = [systems[goos], architectures[goarch]];
  if (!os || !cpu) throw new Error(`${path}: npm's name for ${goos}/${goarch} is not known`);
  const name = `${scope}/${os}-${cpu}`;
  const { license } = manifest;
  const description = `acp-plan-proxy for ${os} on ${cpu}`;
  write(folder, { name, version, description, license, os: [os], cpu: [cpu], preferUnplugged: true }, "LICENSE");
  const program = join(folder, "bin", basename(path));
  mkdirSync(dirname(program));
  copyFileSync(path, program);
  chmodSync(program, 0o755);
  return name;
}

const scratch = mkdtempSync(join(tmpdir(), "acp-plan-proxy-npm-"));
try {
  const folders = programs.map((_, i) => join(scratch, String(i)));
  const names = programs.map((program, i) => writePlatform(folders[i], program)).sort();
  const all = join(scratch, "launcher");
  cpSync(launcher, all, { recursive: true });
  const optionalDependencies = Object.fromEntries(names.map((name) => [name, version]));
  write(all, { ...manifest, version, optionalDependencies }, "LICENSE", "README.md", "CHANGELOG.md");

  mkdirSync(out, { recursive: true });
  for (const old of readdirSync(out).filter((name) => name.endsWith(".tgz"))) rmSync(join(out, old));
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", resolve(out)];
  execFileSync("npm", [...pack, ...folders, all], { stdio: ["ignore", "inherit", "inherit"] });
} finally {
  rmSync(scratch, { recursive: true });
}
