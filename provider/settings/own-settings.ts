import { didYouMean } from "../nearest";
import { SETTING_NAMES } from "./setting-names";

/** A project with this name has the prefix of keyplane's settings for its own. */
const PREFIX = "keyplane";

/** Whether a setting is one of the project's own. A name that is nearly one of keyplane's counts as mistyped. */
export function isOwnSetting(name: string, project: string | undefined): boolean {
  return project === PREFIX && didYouMean(name, SETTING_NAMES) === "";
}
