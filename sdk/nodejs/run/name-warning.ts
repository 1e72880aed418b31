import * as pulumi from "@pulumi/pulumi";
import { didYouMean } from "../../../provider/nearest";
import { isOwnSetting } from "../../../provider/settings/own-settings";
import { SETTING_NAMES } from "../../../provider/settings/setting-names";
import { toMessage } from "../../../provider/text";

/** The warning about a name in keyplane's part of the configuration that is no setting. */
export function nameWarning(name: string): readonly string[] {
  if (isOwnSetting(name, pulumi.getProject())) return [];
  return [toMessage(`keyplane:${name} is not a setting and has no effect${didYouMean(name, SETTING_NAMES)}`)];
}
