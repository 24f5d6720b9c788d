// The time a user waits when a conversation is opened: until its last page is on the screen.
import { Conversation, indexedDBStore, load } from "/threadkeep/index.js";
import { agent, conversationOf } from "./conversations.js";
import { compare } from "./measure.js";

export const title = "Open to the last 50 events on screen, milliseconds";

export async function* run({ rounds = 20 }) {
  await load();
  const store = indexedDBStore(crypto.randomUUID());
  const short = await conversationOf(100, store);
  const long = await conversationOf(10_000, store);
  const opener = (conversationId) => async (count) => {
    for (let n = 0; n < count; n++) {
      const conversation = await Conversation.open({ agent, store, conversationId });
      const page = await conversation.events.slice(-50);
      document.body.replaceChildren(...page.map(paragraph));
      // Forces the layout, because a headless browser paints only now and then.
      document.body.getBoundingClientRect();
      await conversation.close();
    }
  };
  const { first, second, ratio } = await compare(opener(short), opener(long), { rounds, block: 2 });
  const milliseconds = (number) => number.toFixed(1);
  yield {
    label: "10,000 events against 100",
    columns: { "100 events": milliseconds(first), "10,000 events": milliseconds(second) },
    ratio,
    goal: { chromium: 1.1, firefox: 1.1 },
  };
  store.close();
}

function paragraph(event) {
  const element = document.createElement("p");
  element.textContent = JSON.stringify(event);
  return element;
}
