// Keys that belong to the composition of a character, as of Japanese: Enter takes what is composed, and Escape drops it. No field of the
// page means them, so none hears of them. Safari ends the composition before it tells of that key, which only its `keyCode` says then.

export function ignoreComposition(): void {
  const drop = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
  };
  addEventListener("keydown", drop, { capture: true });
}
