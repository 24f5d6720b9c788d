// A WebDAV server and an S3-like one, neither written here, on ports of their own; prints the ports. Both ask for a user and a key.
//   node serve.mjs PACKAGES DIRECTORY      where they are installed, and where they keep their files
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import path from "node:path";

const [, , packages, directory] = process.argv;
const load = createRequire(path.join(packages, "package.json"));
const S3rver = load("s3rver");
const { v2: dav } = load("webdav-server");

const files = path.join(directory, "dav");
mkdirSync(files, { recursive: true });
const users = new dav.SimpleUserManager();
const privilegeManager = new dav.SimplePathPrivilegeManager();
privilegeManager.setRights(users.addUser("me", "secret", false), "/", ["all"]);
const httpAuthentication = new dav.HTTPBasicAuthentication(users, "files");
const webdav = new dav.WebDAVServer({
  port: 0,
  hostname: "127.0.0.1",
  httpAuthentication,
  privilegeManager,
  requireAuthentification: true,
});
await new Promise((resolve) => webdav.setFileSystem("/dav", new dav.PhysicalFileSystem(files), resolve));
const listening = await webdav.startAsync(0);

const s3 = new S3rver({
  port: 0,
  address: "127.0.0.1",
  silent: true,
  directory: path.join(directory, "s3"),
  configureBuckets: [{ name: "backup" }],
});
const { port } = await s3.run();
console.log(JSON.stringify({ webdav: listening.address().port, s3: port }));
