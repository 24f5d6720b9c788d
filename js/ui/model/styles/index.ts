// The styles of the settings of a model, for a shadow root. `threadkeep/preact.css` has those for a part of a page.
import { sharedStyleSheets } from "../../chat/custom-element.js";
import text from "./index.css";

export const styleSheets = sharedStyleSheets(text);
