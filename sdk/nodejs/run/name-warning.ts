import * as pulumi from "@pulumi/pulumi";
import { didYouMean } from "../../../provider/nearest";
import { SETTING_NAMES } from "../../../provider/settings/setting-names";
import { toMessage } from "../../../provider/text";

/** The warning about a name in keyplane's part of the configuration that is no setting. */
export function nameWarning(name: string): readonly string[] {
  const hint = didYouMean(name, SETTING_NAMES);
  // The project's own settings have its name as their prefix.
  if (hint === "" && pulumi.getProject() === "keyplane") return [];
  return [toMessage(`keyplane:${name} is not a setting and has no effect${hint}`)];
}
