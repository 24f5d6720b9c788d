/** @jsxImportSource preact */
// Line icons on a 24-unit grid. They are decoration: the control with an icon has a name.
const paths = {
  attach: "M18.500 11l-7.500 7.500a4.200 4.200 0 0 1-6-6L13 4.500a2.800 2.800 0 0 1 4 4L9.500 16a1.400 1.400 0 0 1-2-2l6.500-6.500",
  close: "M6 6l12 12M18 6L6 18",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  edit: "M4 20h4L19 9l-4-4L4 16v4zM13.500 6.500l4 4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  remove: "M9 7L4.500 11.500 9 16M5 11.500h9a5 5 0 0 1 5 5V19",
  again: "M19 12a7 7 0 1 1-2.100-5M17.500 3v4.500H13",
  previous: "M14.500 6l-6 6 6 6",
  next: "M9.500 6l6 6-6 6",
} as const;

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
