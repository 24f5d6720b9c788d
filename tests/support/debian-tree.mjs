// A newer Debian laid out beside the running one, for its Python: Debian 12 has 3.11, if any, and the SDK wants 3.12.
// Nothing of the running system is changed, apart from installing debootstrap where it is missing.
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installPackages } from "../../scripts/debian.mjs";
import { output, run } from "../../scripts/process.mjs";
import { madeOnce, tried } from "./made-once.mjs";

const release = "trixie";
const version = "3.13";
const loaders = {
  x64: { loader: "lib64/ld-linux-x86-64.so.2", libraries: "usr/lib/x86_64-linux-gnu" },
  arm64: { loader: "lib/ld-linux-aarch64.so.1", libraries: "usr/lib/aarch64-linux-gnu" },
};
const quietly = { stdio: ["ignore", "ignore", 2] };

/** `{ make }` where a tree may be laid out in `place`, else `{ reason }`. */
export function debianTree(place) {
  const parts = loaders[process.arch];
  if (!existsSync("/etc/debian_version"))
    return { reason: "only on Debian can one be laid out beside the system: install python3.12 or newer" };
  if (!parts) return { reason: `none is known for ${process.arch}: install python3.12 or newer` };
  if (process.getuid() !== 0) return { reason: "laying one out beside the system needs root: install python3.12 or newer" };
  return { make: (wanted) => make(place, parts, wanted) };
}

async function make(place, { loader, libraries }, { name, install, requirements, size, say }) {
  await madeOnce(place, path.join(place, "laid-out.json"), () => layOut(place, name, say));
  say(`${name}: installing (about ${size}, a minute or two)`);
  // Wheels in a folder of the running system are out of sight in there.
  const { PIP_FIND_LINKS: _, ...env } = process.env;
  const inside = `/opt/${name}`;
  await run("chroot", [place, "python3", "-m", "venv", "--clear", inside], { ...quietly, env });
  writeFileSync(path.join(place, inside, "requirements.txt"), requirements);
  const all = [...install, "-r", `${inside}/requirements.txt`];
  await tried(3, () => run("chroot", [place, `${inside}/bin/pip`, "install", "--quiet", ...all], { ...quietly, env }));
  const packages = path.join(place, inside, `lib/python${version}/site-packages`);
  // Started through its own loader, this Python works on the real file system and not only inside its tree.
  return {
    argv: [path.join(place, loader), "--library-path", path.join(place, libraries), path.join(place, `usr/bin/python${version}`)],
    env: { PYTHONHOME: path.join(place, "usr"), PYTHONPATH: packages },
    packages,
  };
}

/** One tree for all environments: each is a folder of its own in it. */
async function layOut(place, name, say) {
  if (output("debootstrap", ["--version"]) === undefined) {
    say(`${name}: installing debootstrap`);
    await installPackages(["debootstrap"]);
  }
  say(`${name}: laying out Debian ${release} for its Python in ${place} (about 400 MB, a minute)`);
  const include = "python3,python3-venv,python3-pip,ca-certificates";
  await tried(3, () => run("debootstrap", ["--variant=minbase", `--include=${include}`, release, place], quietly));
  for (const file of ["etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"]) {
    if (existsSync(`/${file}`)) copyFileSync(`/${file}`, path.join(place, file));
  }
}
