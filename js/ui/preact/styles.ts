// The types of `threadkeep/preact.css`: TypeScript looks for some even where a style sheet is only imported.
export {};
