// Checks of requests that hold for every wire API.

/** Sentences on what is wrong with a request, of which `violations` finds what is wrong for its wire API; an empty list for a good one. */
export function requestViolations(body, headers, violations) {
  if (!isObject(body)) return ["the body is not an object"];
  const found = [];
  if (!/^application\/json\b/.test(headers["content-type"] ?? "")) found.push(`content-type is ${headers["content-type"]}`);
  if (typeof body.model !== "string" || body.model === "") found.push("model is missing");
  if (!isWellFormed(body)) found.push("a string holds half of a surrogate pair");
  return [...found, ...violations(body)];
}

function isWellFormed(value) {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isObject(value) || Object.entries(value).every(([key, each]) => key.isWellFormed() && isWellFormed(each));
}

/** What is wrong with a file in a request: bytes that are no base64, or another kind than the request says. */
export function dataViolations(at, data, kinds) {
  if (typeof data !== "string" || data === "" || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return [`${at} is no base64`];
  const start = atob(data.slice(0, 1368));
  const beginnings = { pdf: /%PDF-/, wav: /^RIFF[^]{4}WAVE/, mp3: /^(ID3|\xff[\xe0-\xff])/ };
  return kinds.some((kind) => beginnings[kind].test(start)) ? [] : [`${at} is no ${kinds.join(" or ")} file`];
}

/** The same of a `data:` URL of a PDF, with its name beside it. */
export function pdfViolations(at, url, name) {
  const [, data] = /^data:application\/pdf;base64,(.*)$/s.exec(url ?? "") ?? [];
  if (typeof name !== "string" || name === "") return [`${at} has no filename`];
  return data === undefined ? [`${at} is no data URL of a PDF`] : dataViolations(at, data, ["pdf"]);
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
