// The four functions of a mirror for buckets of Amazon, MinIO, Cloudflare and others: see docs/keeping.md.

/** `endpoint` is an address such as `https://s3.eu-central-1.amazonaws.com`. */
export function s3({ endpoint, bucket, region, accessKeyId, secretAccessKey }) {
  const bytesOf = (text) => new TextEncoder().encode(text);
  const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const hash = async (bytes) => hex(await crypto.subtle.digest("SHA-256", bytes));
  async function hmac(key, text) {
    const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytesOf(text)));
  }
  const encoded = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

  /** A request with the signature of version 4. */
  async function send(method, key, query = {}, body = new Uint8Array(0)) {
    const path = `/${bucket}${key === "" ? "" : `/${key.split("/").map(encoded).join("/")}`}`;
    const search = Object.keys(query)
      .sort()
      .map((name) => `${encoded(name)}=${encoded(query[name])}`)
      .join("&");
    const url = new URL(endpoint + path);
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    const headers = { host: url.host, "x-amz-content-sha256": await hash(body), "x-amz-date": time };
    const signed = Object.keys(headers).join(";");
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    const request = [method, url.pathname, search, lines.join(""), signed, headers["x-amz-content-sha256"]].join("\n");
    const scope = [time.slice(0, 8), region, "s3", "aws4_request"];
    let signing = bytesOf(`AWS4${secretAccessKey}`);
    for (const part of scope) signing = await hmac(signing, part);
    const signature = hex(await hmac(signing, ["AWS4-HMAC-SHA256", time, scope.join("/"), await hash(bytesOf(request))].join("\n")));
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope.join("/")}, SignedHeaders=${signed}, Signature=${signature}`;
    const { host, ...sent } = headers;
    const response = await fetch(`${url}${search && `?${search}`}`, {
      method,
      headers: { ...sent, authorization },
      cache: "no-store",
      ...(method === "PUT" && { body }),
    });
    if (response.ok || (response.status === 404 && method === "GET" && key !== "")) return response;
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  }

  return {
    name: `${endpoint}/${bucket}`,
    async list(prefix) {
      const paths = [];
      let next = {};
      do {
        const response = await send("GET", "", { "list-type": "2", prefix, ...next });
        const answer = new DOMParser().parseFromString(await response.text(), "text/xml");
        const texts = (name) => [...answer.getElementsByTagNameNS("*", name)].map((element) => element.textContent);
        paths.push(...texts("Key"));
        const [token] = texts("NextContinuationToken");
        next = token ? { "continuation-token": token } : undefined;
      } while (next);
      return paths;
    },
    async read(path) {
      const response = await send("GET", path);
      return response.status === 404 ? undefined : new Uint8Array(await response.arrayBuffer());
    },
    async write(path, bytes) {
      await send("PUT", path, {}, bytes);
    },
    async remove(path) {
      await send("DELETE", path);
    },
  };
}
