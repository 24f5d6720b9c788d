// All styles of the list, for a shadow root. `threadkeep/preact.css` has the same, for a part of a page.
import { sharedStyleSheets } from "../../chat/custom-element.js";
import text from "./index.css";

export const styleSheets = sharedStyleSheets(text);
