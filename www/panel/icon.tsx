/** @jsxImportSource preact */
// The page's icons as components.

import { iconPath, type IconName } from "../shell/icons.ts";

export const Icon = ({ name }: { name: IconName }) => <Drawing path={iconPath(name)} />;

export const Drawing = ({ path }: { path: string }) => (
  <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
    <path d={path} />
  </svg>
);
