// The only tests that are repeated when they fail: cases that fail now and then, whose cause nobody has found. At most five, each with
// its reason and the day by which it is mended or taken out; after that day tests/tooling/schedule.test.mjs fails.

/** { file, name, reason, until }: `name` is that of the innermost test. */
export const unsteady = [
  {
    file: "tests/server/failures.test.mjs",
    name: "a handle works while the server takes no more sockets",
    reason: "failed once in a full run, and in none of 24 plays on a busy machine; what the server did then is not known",
    until: "2027-01-31",
  },
  {
    file: "tests/server/offline.test.mjs",
    name: "a page that is closed leaves its messages to the next one, which also runs the agent",
    reason: "failed once in a full run, and was never seen again",
    until: "2027-01-31",
  },
  {
    file: "tests/demo/demo.test.mjs",
    name: "a deleted conversation returns by dropping its archive on the page, and continues",
    reason: "failed once in a full run, and was never seen again",
    until: "2027-01-31",
  },
];
