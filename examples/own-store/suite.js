// The suite that the library's own stores pass, in a worker too.
import { checkStore } from "threadkeep/testing";
import { opfsStore } from "./opfs-store.js";

const reports = await checkStore((place) => opfsStore(`test-${place}`));
for (const { name, failure } of reports) console.log(failure === undefined ? `✔ ${name}` : `✖ ${name}: ${failure}`);
