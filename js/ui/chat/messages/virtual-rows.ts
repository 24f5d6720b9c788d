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
import type { RefObject } from "preact";
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
  /** Has to be called first in the callback of a `ResizeObserver` that leads to a rendering. */
  resized(): void;
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
  /** The rows that were drawn in this frame since something was reported as resized; `null` if nothing was. */
  #drawn: Set<HTMLElement> | null = null;
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

  /**
   * Measures the element of a row, and observes it. A row that is drawn while resizes are delivered is observed in the next
   * frame: the browser has no time left to report its size in this one, and says so with an error of the page.
   */
  measure = (element: HTMLElement | null): void => {
    if (element === null || this.#drawn === null) return this.virtualizer.measureElement(element);
    this.#drawn.add(element);
    if (!this.virtualizer.isScrolling)
      this.virtualizer.resizeItem(this.virtualizer.indexFromElement(element), measureElement(element, undefined, this.virtualizer));
  };

  resized = (): void => {
    if (this.#drawn !== null) return;
    this.#drawn = new Set();
    requestAnimationFrame(() => {
      const drawn = this.#drawn!;
      this.#drawn = null;
      for (const element of drawn) if (element.isConnected) this.virtualizer.measureElement(element);
    });
  };

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
      observeElementRect: (instance, report) => {
        // The first size is told at once.
        let isFirst = true;
        return observeElementRect(instance, (rect) => {
          if (!isFirst) this.resized();
          isFirst = false;
          report(rect);
        });
      },
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
        if (entry) this.resized();
        return measureElement(element, entry, instance);
      },
      onChange: () => this.#render(),
    };
  }

  #withKept(range: Range): number[] {
    const indexes = defaultRangeExtractor(range);
    const kept = this.kept === null ? -1 : this.keys.indexOf(this.kept);
    if (kept < 0 || indexes.includes(kept)) return indexes;
    return [...indexes, kept].sort((one, other) => one - other);
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
    // A row that is gone, and still observed, would be a resize that the browser cannot report in this frame.
    virtualizer.measureElement(null);
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
    measure: controller.measure,
    moved: () => controller.report?.(),
    resized: controller.resized,
    show: (index) => virtualizer.scrollToIndex(index, { align: "start" }),
    keep: (index) => void (controller.kept = index === null ? null : (controller.keys[index] ?? null)),
  };
}
