// A place of a mirror over HTTP: that of tests/mirror/http-place.mjs.

export function httpPlace(url) {
  const ask = async (method, path, body) => {
    const response = await fetch(url + path.split("/").map(encodeURIComponent).join("/"), { method, body, cache: "no-store" });
    if (response.ok || response.status === 404) return response;
    throw new Error(`${method} ${path}: ${response.status}`);
  };
  return {
    name: url,
    list: async (prefix) => (await ask("POST", prefix)).json(),
    async read(path) {
      const response = await ask("GET", path);
      return response.status === 404 ? undefined : new Uint8Array(await response.arrayBuffer());
    },
    write: async (path, bytes) => void (await ask("PUT", path, bytes)),
    remove: async (path) => void (await ask("DELETE", path)),
  };
}
