// The style of the inspector. `--threadkeep-*` are those of `<threadkeep-chat>`.
export const style = `
:host {
  display: block;
  color-scheme: light dark;
  color: var(--threadkeep-text, light-dark(#1a2133, #e5e9f2));
  background: var(--threadkeep-background, light-dark(#fcfcfd, #12161f));
  font: 0.8125rem/1.5 var(--threadkeep-font, system-ui, sans-serif);
}
header { display: flex; flex-wrap: wrap; gap: 0.5rem; padding: 0.5rem; border-bottom: 1px solid var(--threadkeep-border, light-dark(#dfe3ec, #2a3243)); }
[role="tablist"] { display: flex; flex-wrap: wrap; gap: 0.25rem; margin-inline-end: auto; }
button { font: inherit; color: inherit; background: none; border: 1px solid transparent; border-radius: 6px; padding: 0.25rem 0.625rem; min-height: 1.75rem; cursor: pointer; }
header > button { border-color: var(--threadkeep-border-strong, light-dark(#858fa6, #6b7690)); }
[aria-selected="true"] { background: var(--threadkeep-tint, light-dark(#e8ecf7, #232c42)); font-weight: 600; }
[role="tabpanel"] { padding: 0.5rem; overflow: auto; }
ul, ol { list-style: none; margin: 0; padding: 0; }
li { border-bottom: 1px solid var(--threadkeep-border, light-dark(#dfe3ec, #2a3243)); padding: 0.125rem 0; }
summary { cursor: pointer; padding: 0.25rem; overflow-wrap: anywhere; }
time, .number { font-variant-numeric: tabular-nums; }
code, pre { font-family: var(--threadkeep-font-code, ui-monospace, monospace); font-size: 0.75rem; overflow-wrap: anywhere; }
pre { max-height: 24rem; overflow: auto; padding: 0.5rem; border-radius: 6px; white-space: pre-wrap; background: var(--threadkeep-surface, light-dark(#f1f3f8, #171c28)); }
h2 { font-size: inherit; margin: 0.75rem 0 0.25rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); overflow-wrap: anywhere; gap: 0.125rem 1rem; margin: 0.25rem 0; }
dt { color: var(--threadkeep-text-soft, light-dark(#525c72, #a2acc0)); }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; overflow-wrap: anywhere; }
th, td { text-align: start; padding: 0.125rem 1rem 0.125rem 0; font-weight: normal; }
thead th { color: var(--threadkeep-text-soft, light-dark(#525c72, #a2acc0)); }
.done { color: var(--threadkeep-good, light-dark(#1f6b4a, #7fd0a8)); }
.failed { color: var(--threadkeep-danger, light-dark(#a9203b, #ff9dab)); }
em { color: var(--threadkeep-text-soft, light-dark(#525c72, #a2acc0)); }
`;
