/** @jsxImportSource preact */
// Line icons on a 24-unit grid. They are decoration: the control with an icon has a label.

const PATHS = {
  search: "M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14zM16 16l4 4",
  tool: "M14.500 6a4 4 0 0 0 5 5L11 19.500a2.100 2.100 0 0 1-3-3L16.500 8M14.500 6L17 3.500",
  skill: "M12 7c-2-2-5-2-8-1.500v12c3-.500 6-.500 8 1.500 2-2 5-2 8-1.500v-12C17 5 14 5 12 7zM12 7v12",
  fork: "M7 20V4M7 16c0-4.500 10-2.500 10-9.500M13.500 9.500L17 6l3.500 3.500",
  folder: "M3 6h7l2 2h9v11H3z",
  edit: "M6 3h8l4 4v14H6zM9 11h6M12 8v6M9 17h6",
  tasks: "M4 6l1.500 1.500L8 5M11 6.500h9M4 12l1.500 1.500L8 11M11 12.500h9M4 18l1.500 1.500L8 17M11 18.500h9",
  terminal: "M4 5h16v14H4zM7 9l3 3-3 3M12 15h5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
