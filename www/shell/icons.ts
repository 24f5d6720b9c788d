// Line icons on a 24-unit grid. They are decoration: the control with an icon has a label.

const PATHS = {
  menu: "M4 7h16M4 12h11M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  more: "M12 5v1M12 11.500v1M12 18v1",
  rename: "M4 20h4L19 9l-4-4L4 16v4zM13.500 6.500l4 4",
  export: "M12 15V4m0 0L8 8m4-4l4 4M5 14v4a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-4",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.500 11v5M13.500 11v5",
  clock: "M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",
  dice: "M5 5h14v14H5zM9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01",
  note: "M6 4h12v12l-4 4H6zM14 20v-4h4M9 9h6M9 13h4",
  search: "M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14zM16 16l4 4",
  calculator: "M6 3h12v18H6zM9 7h6M9 12h.01M12 12h.01M15 12h.01M9 16h.01M12 16h.01M15 16h.01",
  count: "M5 9h14M5 15h14M10 4L8 20M16 4l-2 16",
  payment: "M3 6h18v12H3zM3 10h18M7 15h3",
  control: "M12 3l7 3v5c0 4.500-3 8-7 10-4-2-7-5.500-7-10V6zM9 12l2 2 4-4",
  fork: "M7 20V4M7 16c0-4.500 10-2.500 10-9.500M13.500 9.500L17 6l3.500 3.500",
  panel: "M4 5h16v14H4zM14.500 5v14M17 9h.5M17 12h.5",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  home: "M4 11.500L12 4l8 7.500M6 10v10h12V10M10 20v-6h4v6",
  server: "M4 5h16v6H4zM4 13h16v6H4zM7.500 8h.01M7.500 16h.01M11 8h6M11 16h6",
  folder: "M3 6h7l2 2h9v11H3z",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
} as const;

export type IconName = keyof typeof PATHS;

/** The icons of this page's own tools; those of the library have theirs. */
const TOOLS: Record<string, IconName> = {
  get_time: "clock",
  roll_dice: "dice",
  calculate: "calculator",
  add_up: "calculator",
  remember: "note",
  recall: "note",
  slow_count: "count",
  send_payment: "payment",
};

/** The path of a tool's icon. */
export const toolPath = (toolName: string): string | undefined => (Object.hasOwn(TOOLS, toolName) ? PATHS[TOOLS[toolName]!] : undefined);

export const iconPath = (name: IconName): string => PATHS[name];

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
