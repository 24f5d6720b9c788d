// A WebDAV server and an S3-like one, neither written here, on ports of their own; prints the ports. Both ask for a user and a key: the
// S3-like one takes any signature of version 4, so that another library compares it first.
//   node serve.mjs PACKAGES DIRECTORY      where they are installed, and where they keep their files
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { createServer, request as ask } from "node:http";
import path from "node:path";

const [, , packages, directory] = process.argv;
const load = createRequire(path.join(packages, "package.json"));
const aws4 = load("aws4");
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

/** Whether a request is signed with the key of the server. */
function isSigned({ method, url, headers }) {
  const names = ["host", "x-amz-content-sha256", "x-amz-date"];
  const signed = Object.fromEntries(names.map((name) => [name, headers[name]]));
  const wanted = aws4.sign(
    { service: "s3", region: "us-east-1", method, path: url, host: headers.host, headers: signed },
    { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
  );
  return headers.authorization === wanted.headers.Authorization;
}

const gate = createServer((request, response) => {
  if (!isSigned(request)) return response.writeHead(403).end("SignatureDoesNotMatch");
  const { method, url, headers } = request;
  const passed = ask({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => response.destroy());
  request.pipe(passed);
});
gate.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ webdav: listening.address().port, s3: gate.address().port })));
