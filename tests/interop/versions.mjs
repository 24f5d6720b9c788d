// What holds for one version of the SDK only is marked so where it is tested, with the reason.
import { sdkVersion } from "./setup.mjs";

/** Options of a test that is skipped where another version is checked. */
export const onlyFor = (version, why) => ({ skip: sdkVersion !== version && `only for ${version}: ${why}` });
