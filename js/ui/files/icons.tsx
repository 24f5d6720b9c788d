/** @jsxImportSource preact */
// Line icons on a 24-unit grid. They are decoration: the control with an icon has a name.

const paths = {
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  folder: "M3 6h7l2 2h9v11H3z",
  close: "M6 6l12 12M18 6L6 18",
} as const;

export const Icon = ({ name }: { name: keyof typeof paths }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
