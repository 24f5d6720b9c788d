/**
 * Whether a key belongs to the composition of a character, as of Japanese: Enter takes what is composed, and Escape drops it. Safari
 * ends the composition before it tells of that key, which only its `keyCode` says then.
 */
export const isOfComposition = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;
