// Secrets in odd shapes, and the search for them. Runs in Node and in pages.

/** Values by name. */
export const shapes = {
  PLAIN: "sk-live-51Habcdefghijklmnop",
  CYRILLIC: "пароль-ключ-пёс",
  EMOJI: "🔑🗝️-k3y-🔐",
  COMBINING: "e\u0301cole-nai\u0308ve-\u200b\u202eend",
  QUOTES: 'it\'s "quoted" and `ticked`',
  LINES: "-----BEGIN KEY-----\nMIIBVQ/+==\nabc\r\n-----END KEY-----\n",
  OBJECT: '{"type":"service_account","private_key":"-----\\nabc\\n","n":[1,2.5]}',
  ARRAY: '["x1",12,null]',
  MASKED: "tok<secret-hidden>en",
  SHORTER: "prefix-of-another",
  LONGER: "prefix-of-another-and-more",
  OVERLAPPING: "and-more-of-the-same",
  PATTERN: "a.*(b|c)+[d]$^\\w?{2}",
  LONG: Array.from({ length: 700 }, (_, i) => ((i * 2654435761) >>> 0).toString(36)).join("."),
  IN_URL: "100% a/b?c=d&e+f g#h",
  DIGITS: "4929123456781234",
  BACKSLASHES: "C:\\new\\table\\u0041\\",
  MARKUP: "<script>alert('k')</script>&amp;",
  BASE64: "c2VjcmV0LXZhbHVl+/==",
  CONTROLS: "\u0001\u0007tab\tend\u007f!",
  REPEATING: "abababababab",
  PADDED: "  padded-secret  ",
};

/** The ways in which a value gets into a text. */
export const ways = {
  plain: (value) => value,
  json: (value) => JSON.stringify({ found: value }),
  twice: (value) => JSON.stringify({ nested: JSON.stringify({ found: value }) }),
  url: (value) => `https://host/?q=${encodeURIComponent(value)}&x=1`,
  form: (value) => new URLSearchParams({ q: value }).toString(),
  base64: (value) => base64(value),
  basic: (value) => `Basic ${base64(`user:${value}`)}`,
};

export function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

const needles = Object.entries(shapes).flatMap(([name, value]) => {
  const once = JSON.stringify(value).slice(1, -1);
  const spelled = {
    plain: value.trim(),
    once,
    twice: JSON.stringify(once).slice(1, -1),
    url: encodeURIComponent(value),
    base64: base64(value),
  };
  return Object.entries(spelled).map(([spelling, needle]) => [`${name} (${spelling})`, needle]);
});

/** The names of the shapes that are in a text, in whatever spelling, with the spelling. */
export function found(text) {
  return needles.filter(([, needle]) => text.includes(needle)).map(([name]) => name);
}
