import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat, transport } from "./chat.js";

// The address names the chat, so a reload opens it again.
location.hash ||= crypto.randomUUID();
const id = location.hash.slice(1);

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Chat id={id} messages={await transport.messages(id)} />
  </StrictMode>,
);
