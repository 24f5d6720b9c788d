// Directories of OPFS, as pages of tests look at them: without the library.

/** The directory at this path, which is made. */
export async function directory(path) {
  let at = await navigator.storage.getDirectory();
  for (const name of path.split("/")) at = await at.getDirectoryHandle(name, { create: true });
  return at;
}

/** The files below a directory: texts by path. */
export async function filesIn(handle, before = "") {
  const files = {};
  for await (const [name, entry] of handle.entries()) {
    if (entry.kind === "directory") Object.assign(files, await filesIn(entry, `${before}${name}/`));
    else files[before + name] = await (await entry.getFile()).text();
  }
  return files;
}
