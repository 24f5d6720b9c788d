// The cost of sealing: an encrypted store over IndexedDB, compared with the same store as it is, through the interface that both have.
//
// Equal on both sides: the commits, each with one event of a kilobyte and a base state of 5 kB, relaxed and awaited.
import { compare, time } from "./measure.js";
import { encryptedStore, indexedDBStore } from "/threadkeep/index.js";

export const title = "Encrypted store compared with a plain one";

const conversation = "0f8fad5b-d9cb-469f-a165-70867728950e";
const event = JSON.stringify({ kind: "ObservationEvent", observation: "What the tool said. ".repeat(45) });
const baseState = JSON.stringify({ id: conversation, agent: "An agent's settings. ".repeat(230), execution_status: "running" });
const passphrase = "a passphrase of the bench";

export async function* run({ rounds = 40 }) {
  const milliseconds = (number) => `${number.toFixed(2)} ms`;
  const fresh = encryptedStore(indexedDBStore(crypto.randomUUID()), { passphrase });
  yield { label: "opened by a passphrase", columns: { once: milliseconds(await time(() => fresh.list())) } };
  for (const length of [100, 10_000]) {
    const plain = writing(indexedDBStore(crypto.randomUUID()));
    const sealed = writing(encryptedStore(indexedDBStore(crypto.randomUUID()), { passphrase }));
    for (const side of [plain, sealed]) await side.append(length, 200);
    const at = `at ${length.toLocaleString("en")} events`;
    yield* side("a commit", at, (side) => side.append, { rounds, block: 4 });
    yield* side("the last 50 events", at, (side) => side.last, { rounds, block: 2 });
    async function* side(label, where, of, settings) {
      const { first, second, ratio } = await compare(of(plain), of(sealed), settings);
      yield { label: `${label}, ${where}`, columns: { plain: milliseconds(first), encrypted: milliseconds(second) }, ratio };
    }
  }
  const many = [indexedDBStore(crypto.randomUUID()), encryptedStore(indexedDBStore(crypto.randomUUID()), { passphrase })];
  for (const store of many) for (let n = 0; n < 1_000; n++) await store.commit(crypto.randomUUID(), { ...commit(0, 1), expectedLength: 0 });
  const [plain, sealed] = many.map((store) => async (count) => {
    for (let n = 0; n < count; n++) await store.list();
  });
  const { first, second, ratio } = await compareOnce(plain, sealed);
  yield { label: "list() of 1,000 conversations", columns: { plain: milliseconds(first), encrypted: milliseconds(second) }, ratio };
}

/** Few times, because one takes long. */
const compareOnce = (plain, sealed) =>
  compare(
    (n) => plain(Math.min(n, 1)),
    (n) => sealed(Math.min(n, 1)),
    { rounds: 9, block: 1 },
  );

const commit = (length, count) => ({
  expectedLength: length,
  events: Array.from({ length: count }, () => ({ id: crypto.randomUUID(), json: event })),
  baseState,
  files: [],
  at: Date.now(),
  durability: "relaxed",
});

function writing(store) {
  let length = 0;
  return {
    async append(count, atOnce = 1) {
      for (let done = 0; done < count; done += atOnce) {
        await store.commit(conversation, commit(length, atOnce));
        length += atOnce;
      }
    },
    async last(count) {
      for (let n = 0; n < count; n++) await store.events(conversation, length - 50, length);
    },
  };
}
