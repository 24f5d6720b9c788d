// A React app whose views open a conversation when they are shown and close it when they are taken away.
import { StrictMode, createElement, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Conversation } from "/threadkeep/index.js";

/** How effects are written: each returns its cleanup. */
const effects = {
  "a promise that is closed": (options, show) => {
    let isGone = false;
    const opening = Conversation.open(options);
    opening.then((conversation) => isGone || show(conversation));
    return () => {
      isGone = true;
      opening.then((conversation) => conversation.close());
    };
  },
  "a flag": (options, show) => {
    let isGone = false;
    let opened;
    void Conversation.open(options).then((conversation) => {
      if (isGone) return conversation.close();
      opened = conversation;
      show(conversation);
    });
    return () => {
      isGone = true;
      void opened?.close();
    };
  },
  "an async function": (options, show) => {
    let isGone = false;
    let opened;
    const open = async () => {
      const conversation = await Conversation.open(options);
      if (isGone) {
        await conversation.close();
        return;
      }
      opened = conversation;
      show(conversation);
    };
    void open();
    return () => {
      isGone = true;
      void opened?.close();
    };
  },
};

function View({ effect, options, observer }) {
  const [conversation, show] = useState();
  useEffect(() => {
    observer.shown += 1;
    return effects[effect](options, show);
  }, [effect, options, observer]);
  useEffect(() => void (conversation && observer.show(conversation)), [conversation, observer]);
  return createElement("p", null, conversation?.access ?? "opening");
}

/** Shows a view, and a second time in another place, as a router does. Resolves to what each of them ended with. */
export async function showTwice(effect, options, use) {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  const found = [];
  for (const key of ["first", "second"]) {
    const observer = { shown: 0 };
    const shown = new Promise((resolve) => (observer.show = resolve));
    root.render(createElement(StrictMode, null, createElement(View, { key, effect, options, observer })));
    const conversation = await shown;
    await use(conversation);
    found.push([observer.shown, place.textContent, conversation.access]);
  }
  root.unmount();
  return found;
}

export const ways = Object.keys(effects);
