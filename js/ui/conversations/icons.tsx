/** @jsxImportSource preact */
// Line icons on a 24-unit grid. They are decoration: the control with an icon has a name.

const paths = {
  begin: "M12 5v14M5 12h14",
  more: "M12 5v1M12 11.500v1M12 18v1",
  fold: "M9.500 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
  rename: "M4 20h4L19 9l-4-4L4 16v4zM13.500 6.500l4 4",
  pin: "M9 4h6M10 4v6l-3 4h10l-3-4V4M12 14v6",
  folder: "M3 6h7l2 2h9v11H3z",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.500 11v5M13.500 11v5",
  restore: "M5 12a7 7 0 1 0 2.100-5M6.500 3.500V8H11",
  server: "M4 5h16v6H4zM4 13h16v6H4zM7.500 8h.01M7.500 16h.01M11 8h6M11 16h6",
  select: "M4 6l1.500 1.500L8 5M11 6.500h9M4 12l1.500 1.500L8 11M11 12.500h9M4 18l1.500 1.500L8 17M11 18.500h9",
  import: "M12 4v11m0 0l-4-4m4 4l4-4M5 14v4a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-4",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
