import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.js";

// The address names the conversation, so a reload opens it again.
location.hash ||= crypto.randomUUID();

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Chat conversationId={location.hash.slice(1)} />
  </StrictMode>,
);
