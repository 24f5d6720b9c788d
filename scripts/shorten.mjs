// Shrinks wasm-bindgen's output without changing its meaning: short names between the wasm and its glue, no custom
// sections, and a function `instantiate` without the checks of wasm-bindgen's own.
//
// wasm-bindgen names an import after its function and a hash, and these names are both in the wasm and in the glue: two
// percent of a page's download, because hashes cannot be compressed.

const [custom, importSection, exportSection] = [0, 2, 7];

/** The export that keeps its name, because it is looked up by name. */
const memory = "memory";

const instantiate = `
export async function instantiate(module) {
    return __wbg_finalize_init(await WebAssembly.instantiate(module, __wbg_get_imports()), module);
}
`;

/** Returns the wasm, and its glue (of wasm-bindgen's target "web") with the additional function `instantiate(module)`. */
export function shorten(wasm, glue) {
  let text = glue;
  const shortNames = new Map();
  /** The short name for a name in the glue, and how often `pattern` occurred. */
  const rename = (long, pattern, write) => {
    const known = shortNames.get(pattern.source);
    if (known) return known;
    const short = `_${shortNames.size.toString(36)}`;
    let count = 0;
    text = text.replace(pattern, () => (count++, write(short)));
    const renamed = { name: count > 0 ? short : long, count };
    shortNames.set(pattern.source, renamed);
    return renamed;
  };
  const importedFrom = (module) => rename(module, new RegExp(`"${literally(module)}": import`, "g"), (short) => `${short}: import`);
  const imported = (name) => rename(name, new RegExp(`(?<=^ +)${literally(name)}: `, "gm"), (short) => `${short}: `);
  const exported = (name) => rename(name, new RegExp(`\\bwasm\\.${literally(name)}\\b`, "g"), (short) => `wasm.${short}`);

  const sections = [];
  for (const { id, content } of sectionsOf(wasm)) {
    if (id === custom) continue;
    if (id === importSection) {
      sections.push(
        section(
          id,
          entries(content, (from) => {
            const [module, name] = [from.name(), from.name()];
            const found = [importedFrom(module), imported(name)];
            if (found.some(({ count }) => count !== 1))
              throw new Error(`the glue does not give the import ${name} of ${module} in one place`);
            return [...found.map((one) => nameBytes(one.name)), from.importType()];
          }),
        ),
      );
    } else if (id === exportSection) {
      sections.push(
        section(
          id,
          entries(content, (from) => {
            const name = from.name();
            return [nameBytes(name === memory ? name : exported(name).name), from.exportType()];
          }),
        ),
      );
    } else {
      sections.push(section(id, [content]));
    }
  }
  return { wasm: Buffer.concat([wasm.subarray(0, 8), ...sections]), glue: text + instantiate };
}

/** The TypeScript declaration of `instantiate`. */
export const declaration = "\nexport function instantiate(module: WebAssembly.Module): Promise<InitOutput>;\n";

/** A custom section, which engines ignore, with a text in it. */
export function customSection(name, text) {
  return section(0, [nameBytes(name), Buffer.from(text)]);
}

function* sectionsOf(wasm) {
  const from = new Reader(wasm, 8);
  while (from.at < wasm.length) {
    const id = from.byte();
    yield { id, content: from.bytes(from.u32()) };
  }
}

/** The content of a section that is a list, with each entry rewritten by `entry`. */
function entries(content, entry) {
  const from = new Reader(content);
  const count = from.u32();
  const written = [u32(count)];
  for (let i = 0; i < count; i++) written.push(...entry(from));
  return written;
}

/** Reads WebAssembly's binary format. */
class Reader {
  constructor(buffer, at = 0) {
    this.buffer = buffer;
    this.at = at;
  }

  byte() {
    return this.buffer.readUInt8(this.at++);
  }

  u32() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  bytes(length) {
    return this.buffer.subarray(this.at, (this.at += length));
  }

  name() {
    return this.bytes(this.u32()).toString("utf8");
  }

  /** The bytes that follow an import's names. */
  importType() {
    return this.#passed(() => {
      const kind = this.byte();
      if (kind === 0) this.u32();
      else if (kind === 1) this.#limits(this.byte());
      else if (kind === 2) this.#limits();
      else if (kind === 3) this.bytes(2);
      else throw new Error(`an import of the unknown kind ${kind}`);
    });
  }

  /** The bytes that follow an export's name. */
  exportType() {
    return this.#passed(() => {
      this.byte();
      this.u32();
    });
  }

  #limits() {
    const hasMaximum = this.byte() & 1;
    this.u32();
    if (hasMaximum) this.u32();
  }

  #passed(read) {
    const start = this.at;
    read();
    return this.buffer.subarray(start, this.at);
  }
}

function section(id, parts) {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(id), u32(content.length), content]);
}

function nameBytes(name) {
  const bytes = Buffer.from(name);
  return Buffer.concat([u32(bytes.length), bytes]);
}

function u32(value) {
  const bytes = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return Buffer.from(bytes);
}

function literally(name) {
  return name.replace(/[^\w]/g, "\\$&");
}
