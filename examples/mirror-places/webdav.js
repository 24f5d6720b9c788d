// The four functions of a mirror for Nextcloud and other WebDAV servers: see docs/keeping.md.
// A file is written under another name first, because a server that dies in the middle of a `PUT` may leave half of it.

/** `url` is a folder that exists, and ends with a slash; `headers` has what the server wants to know of its user. */
export function webDAV(url, headers) {
  const addressOf = (path) => url + path.split("/").map(encodeURIComponent).join("/");
  async function send(method, address, more = {}, accepted = []) {
    const response = await fetch(address, { method, ...more, headers: { ...headers, ...more.headers } });
    if (response.ok || accepted.includes(response.status)) return response;
    throw new Error(`${method} ${address}: ${response.status} ${response.statusText}`);
  }

  const folders = new Map();
  /** Makes a folder and those around it, each once. 405: it exists. */
  function makeFolder(path) {
    if (path === "") return undefined;
    if (!folders.has(path)) {
      const made = (async () => {
        await makeFolder(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
        await send("MKCOL", `${addressOf(path)}/`, {}, [405]);
      })();
      folders.set(path, made);
      made.catch(() => folders.delete(path));
    }
    return folders.get(path);
  }

  async function list(prefix) {
    const response = await send("PROPFIND", addressOf(prefix), { headers: { depth: "1" } }, [404]);
    if (response.status === 404) return [];
    const answer = new DOMParser().parseFromString(await response.text(), "text/xml");
    const top = new URL(url, location.href).pathname;
    const found = [];
    for (const entry of answer.getElementsByTagNameNS("DAV:", "response")) {
      const { pathname } = new URL(entry.getElementsByTagNameNS("DAV:", "href")[0].textContent.trim(), new URL(url, location.href));
      const path = decodeURIComponent(pathname.slice(top.length)).replace(/\/$/, "");
      if (path === prefix.replace(/\/$/, "") || path.startsWith(".new-")) continue;
      const isFolder = entry.getElementsByTagNameNS("DAV:", "collection").length > 0;
      found.push(...(isFolder ? await list(`${path}/`) : [path]));
    }
    return found;
  }

  return {
    name: url,
    list,
    async read(path) {
      const response = await send("GET", addressOf(path), { cache: "no-store" }, [404]);
      return response.status === 404 ? undefined : new Uint8Array(await response.arrayBuffer());
    },
    async write(path, body) {
      await makeFolder(path.slice(0, path.lastIndexOf("/")));
      const beside = addressOf(`.new-${crypto.randomUUID()}`);
      await send("PUT", beside, { body });
      await send("MOVE", beside, { headers: { destination: new URL(addressOf(path), location.href).href, overwrite: "T" } });
    },
    async remove(path) {
      await send("DELETE", addressOf(path), {}, [404]);
    },
  };
}
