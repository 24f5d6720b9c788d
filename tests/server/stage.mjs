// Where the suite of homes meets an agent server: each case has a model of its own there, and gates between its page and the tools that
// the server runs. Both are below an address that has the token of the case.
import { deferred } from "../support/deferred.mjs";
import { listen } from "../support/listen.mjs";
import { createModel } from "../support/model.mjs";

const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };

/** The words of a server about a call of a tool of the page that it has noted, and those of the model about that. */
export const noted = "Tool call dispatched to client.";
export const waitsForThePage = "It is for the page to do.";

/** Returns { origin, set(token, repliesOf), end(token), close() }. `repliesOf({ gate })` gives the script of the model. */
export async function startStage() {
  const cases = new Map();
  const server = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://stage.test");
    const [token, place, act, name] = pathname.slice(1).split("/").map(decodeURIComponent);
    const found = cases.get(token);
    if (found && place === "v1") return found.model.handle(request, response);
    if (act === "open") found?.gate.open(name);
    else await found?.gate.passed(name);
    response.writeHead(204, cors).end();
  });
  return {
    origin: server.origin,
    async set(token, repliesOf) {
      const gate = gateHere();
      // A server asks in ways that not every provider takes.
      cases.set(token, { gate, model: createModel(besidesNotes(await repliesOf({ gate }), gate), { checks: false }) });
    },
    /** Lets go of what still waits at a gate. */
    end(token) {
      cases.get(token)?.gate.close();
      cases.delete(token);
    },
    close: server.close,
  };
}

/** The script, of which a call of a tool of the page takes no reply before its result is there. */
function besidesNotes(script, gate) {
  let given = 0;
  return async (body) => {
    const { role, content } = body.messages.at(-1);
    if (role === "tool" && JSON.stringify(content).includes(noted)) return { text: waitsForThePage };
    const reply = await (typeof script === "function" ? script(body, given++) : script[given++]);
    // An answer that is not streamed has no pieces behind which it could go silent.
    if (reply?.stallAfter !== undefined && body.stream !== true) await gate.passed("the end");
    return reply;
  };
}

function gateHere() {
  const gates = new Map();
  const at = (name) => {
    if (!gates.has(name)) gates.set(name, deferred());
    return gates.get(name);
  };
  return {
    open: (name) => at(name).resolve(),
    passed: (name) => at(name).promise,
    close: () => gates.forEach(({ resolve }) => resolve()),
  };
}
