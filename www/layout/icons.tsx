/** @jsxImportSource preact */
// Line icons on a 24-unit grid. They are decoration: the control with an icon has a label.

const paths = {
  menu: "M4 7h16M4 12h11M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  export: "M12 15V4m0 0L8 8m4-4l4 4M5 14v4a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-4",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.500 11v5M13.500 11v5",
  clock: "M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",
  dice: "M5 5h14v14H5zM9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01",
  note: "M6 4h12v12l-4 4H6zM14 20v-4h4M9 9h6M9 13h4",
  calculator: "M6 3h12v18H6zM9 7h6M9 12h.01M12 12h.01M15 12h.01M9 16h.01M12 16h.01M15 16h.01",
  count: "M5 9h14M5 15h14M10 4L8 20M16 4l-2 16",
  payment: "M3 6h18v12H3zM3 10h18M7 15h3",
  control: "M12 3l7 3v5c0 4.500-3 8-7 10-4-2-7-5.500-7-10V6zM9 12l2 2 4-4",
  context: "M4 5h16v14H4zM14.500 5v14M17 9h.5M17 12h.5",
  files: "M3 6h7l2 2h9v11H3z",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);

/** The icons of this page's own tools; those of the library have theirs. */
const tools: Record<string, IconName> = {
  get_time: "clock",
  roll_dice: "dice",
  calculate: "calculator",
  add_up: "calculator",
  remember: "note",
  recall: "note",
  slow_count: "count",
  send_payment: "payment",
};

export const toolIcon = (toolName: string) => (Object.hasOwn(tools, toolName) ? <Icon name={tools[toolName]!} /> : undefined);
