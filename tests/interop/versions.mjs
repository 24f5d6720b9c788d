// Expectations for one version of the SDK only are marked where they are tested, with the reason.
import { sdkVersion, sdkVersions } from "./setup.mjs";

/** Whether it is another version than the one whose conversations are in the repository. */
export const isNewest = sdkVersion !== sdkVersions[0];

/** Options of a test that is skipped where another version is checked. */
export const onlyFor = (version, why) => ({ skip: sdkVersion !== version && `only for ${version}: ${why}` });

/** Options of what both versions are asked by the same words: the newest answers for it. */
export const onlyForNewest = (why) => ({ skip: !isNewest && `only for ${sdkVersions.at(-1)}: ${why}` });
