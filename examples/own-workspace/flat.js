// A workspace of one's own: files in a map, without directories.
/** @type {Map<string, any>} */
export const files = new Map();
const notFound = () => Object.assign(new Error("there is no such file"), { code: "not_found" });
/** @returns {import("threadkeep").WorkspaceEntry} */
const entry = (path) => ({ path, type: "file", size: files.get(path).length, modifiedAt: 0 });
/** @type {import("threadkeep").Workspace} */
export const flat = {
  workingDir: "/flat",
  read: async (path) => files.get(path) ?? Promise.reject(notFound()),
  write: async (path, content) => void files.set(path, content),
  stat: async (path) => (files.has(path) ? entry(path) : path === "" ? { path, type: "directory", size: 0, modifiedAt: 0 } : undefined),
  list: async (path) => (path === "" ? [...files.keys()].map(entry) : Promise.reject(notFound())),
  makeDirectory: async () => Promise.reject(new Error("there are no directories here")),
  remove: async (path) => (files.delete(path) ? undefined : Promise.reject(notFound())),
  move: async (from, to) => void (files.set(to, files.get(from)), files.delete(from)),
  watch: () => () => {},
};
