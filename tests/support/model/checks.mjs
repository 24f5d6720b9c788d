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

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
