// Draws only the rows that can be seen: the library computes which, and keeps the position when rows above change.
import {
  defaultRangeExtractor,
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  type Range,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { options, type RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";
import { estimatedHeight, type Row } from "./rows.js";

/** Rows that are drawn above and below the visible ones. */
const OVERSCAN = 6;

interface Inputs {
  rows: readonly Row[];
  scroller: RefObject<HTMLElement | null>;
  items: RefObject<HTMLElement | null>;
  /** Called when the library has written a scroll position. */
  onWrite(): void;
}

export interface VirtualRows {
  /** The rows to draw. `start` is measured from the top of the list. */
  drawn: readonly VirtualItem[];
  /** The height of all rows in pixels. */
  height: number;
  /** Measures the element of a row, which has its number in `data-index`. */
  measure: (element: HTMLElement | null) => void;
  /** Has to be called when the scroll position was written elsewhere. */
  moved(): void;
  /** Scrolls to this row. */
  show(index: number): void;
  /** The row with the focus stays drawn, otherwise the focus would be lost. */
  keep(index: number | null): void;
}

class Controller {
  report: (() => void) | null = null;
  kept: string | null = null;
  keys: readonly string[] = [];
  keyOf = (index: number): string => this.keys[index]!;
  readonly virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  /** Whether rows have just been reported as resized. */
  #isResized = false;
  #inputs: Inputs;
  #render: () => void;

  constructor(inputs: Inputs, render: () => void) {
    this.#inputs = inputs;
    this.#render = render;
    this.virtualizer = new Virtualizer(this.#options(0));
  }

  update(inputs: Inputs, margin: number): void {
    this.#inputs = inputs;
    this.#setKeys(inputs.rows);
    this.virtualizer.setOptions(this.#options(margin));
  }

  /** The library computes everything anew if it gets another function, so it gets one only for other keys. */
  #setKeys(rows: readonly Row[]): void {
    const before = this.keys;
    if (before.length === rows.length && rows.every(({ key }, index) => key === before[index])) return;
    const keys = rows.map(({ key }) => key);
    this.keys = keys;
    this.keyOf = (index) => keys[index]!;
  }

  #options(margin: number): VirtualizerOptions<HTMLElement, HTMLElement> {
    const { rows, scroller } = this.#inputs;
    return {
      count: rows.length,
      getScrollElement: () => scroller.current,
      estimateSize: (index) => estimatedHeight(rows[index]!, Math.min(700, this.virtualizer.scrollRect?.width || 700)),
      getItemKey: this.keyOf,
      // The end is where a reader begins.
      initialOffset: Number.MAX_SAFE_INTEGER,
      anchorTo: "end",
      overscan: OVERSCAN,
      scrollMargin: margin,
      // The messages fade out at the edge.
      scrollPaddingStart: 24,
      observeElementRect,
      observeElementOffset: (instance, report) => {
        this.report = () => report(scroller.current?.scrollTop ?? 0, false);
        return observeElementOffset(instance, report);
      },
      scrollToFn: (offset, options, instance) => {
        // The view in place of messages is read from its beginning.
        if (this.keys.length === 0) return;
        elementScroll(offset, options, instance);
        this.#inputs.onWrite();
      },
      rangeExtractor: (range) => this.#withKept(range),
      measureElement: (element, entry, instance) => {
        if (entry && !this.#isResized) {
          this.#isResized = true;
          queueMicrotask(() => (this.#isResized = false));
        }
        return measureElement(element, entry, instance);
      },
      onChange: () => (this.#isResized ? atOnce(this.#render) : this.#render()),
    };
  }

  #withKept(range: Range): number[] {
    const indexes = defaultRangeExtractor(range);
    const kept = this.kept === null ? -1 : this.keys.indexOf(this.kept);
    if (kept < 0 || indexes.includes(kept)) return indexes;
    return [...indexes, kept].sort((one, other) => one - other);
  }
}

/** Always the same: with another function, a rendering within a rendering would begin before the first one has set up its rows. */
const now = (flush: () => void): void => flush();

/**
 * Renders before this returns. The library observes rows that are drawn while it hears of others in the next frame; a rendering that
 * comes a little later would observe them at once, and the browser reports that as an error of the page.
 */
function atOnce(render: () => void): void {
  const { debounceRendering } = options;
  options.debounceRendering = now;
  try {
    render();
  } finally {
    if (debounceRendering) options.debounceRendering = debounceRendering;
    else delete options.debounceRendering;
  }
}

export function useVirtualRows(inputs: Inputs): VirtualRows {
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  const [margin, setMargin] = useState(0);
  const [controller] = useState(() => new Controller(inputs, () => render()));
  controller.update(inputs, margin);
  const { virtualizer } = controller;
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    const top = inputs.items.current?.offsetTop ?? 0;
    if (top === margin) return;
    setMargin(top);
    if (inputs.rows.length === 0) return;
    // The part above the list has grown or gone: the rows stay where they are on the screen.
    inputs.scroller.current!.scrollTop += top - margin;
    inputs.onWrite();
    controller.report?.();
  });
  return {
    drawn: virtualizer.getVirtualItems().map((item) => ({ ...item, start: item.start - margin })),
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    moved: () => controller.report?.(),
    show: (index) => virtualizer.scrollToIndex(index, { align: "start" }),
    keep: (index) => void (controller.kept = index === null ? null : (controller.keys[index] ?? null)),
  };
}
