// The package as a user gets it: packed, and installed from the tarball into an empty project outside of this
// repository, so that nothing resolves by accident.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/process.mjs";

const execute = promisify(execFile);

/** Returns { files, project(name), remove() }: what the tarball holds, and folders that can import "threadkeep". */
export async function installPackage() {
  const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-packaging-"));
  // No scripts: `npm test` built dist/ already, and perhaps with other options than `prepack` would.
  const packed = await execute("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: root });
  const [{ filename, files }] = JSON.parse(packed.stdout);
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  await execute("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", `./${filename}`], { cwd: folder });
  return {
    files: files.map((file) => file.path),
    library: path.join(folder, "node_modules/threadkeep"),
    project(name) {
      const project = path.join(folder, name);
      mkdirSync(project, { recursive: true });
      cpSync(path.join(import.meta.dirname, "project"), project, { recursive: true });
      writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: `consumer-${name}`, private: true, type: "module" }));
      return project;
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
