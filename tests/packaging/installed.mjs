// The package as a user gets it: packed once, and installed from the tarball into an empty folder outside of this
// repository, so that nothing resolves by accident. Above it are the programs of tools.mjs.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/process.mjs";
import { tried } from "../support/made-once.mjs";
import { folder as tools, installTools } from "./tools.mjs";

let installing;
after(async () => (await installing)?.remove());

/** Resolves to { files, tarball, library, project(name, template) }: what the tarball holds, and where it is installed. */
export function installedPackage() {
  return (installing ??= install());
}

async function install() {
  await installTools();
  const folder = mkdtempSync(path.join(tools, "run-"));
  // No scripts: `npm test` built dist/ already, and perhaps with other options than `prepack` would.
  const [{ filename, files }] = JSON.parse(await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  // Not offline: npm asks the registry about optional peers, too, unless its cache knows them.
  const args = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=peer", `./${filename}`];
  await tried(3, () => run("npm", args, folder));
  return {
    files: files.map((file) => file.path),
    tarball: path.join(folder, filename),
    library: path.join(folder, "node_modules/threadkeep"),
    /** A folder with project/, with the files of projects/`template`, and with these fields in its package.json. */
    project(name, { template = name, ...fields } = {}) {
      const project = path.join(folder, name);
      mkdirSync(project, { recursive: true });
      const [all, own] = ["project", `projects/${template}`].map((part) => path.join(import.meta.dirname, part));
      cpSync(all, project, { recursive: true });
      if (existsSync(own)) cpSync(own, project, { recursive: true });
      writeFileSync(
        path.join(project, "package.json"),
        JSON.stringify({ name: `consumer-${name}`, private: true, type: "module", ...fields }),
      );
      return project;
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/** The output of a program; its errors contain its output. */
export async function run(program, args, cwd, env = {}) {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 1e8 });
    return stdout;
  } catch (error) {
    throw new Error(`${error.message}\n${error.stdout}`, { cause: error });
  }
}
