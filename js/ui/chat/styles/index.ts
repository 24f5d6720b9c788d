// All styles of the chat, for a shadow root. `threadkeep/preact.css` has the same, for a part of a page.
import { sharedStyleSheets } from "../custom-element.js";
import text from "./index.css";

export const styleSheets = sharedStyleSheets(text);
