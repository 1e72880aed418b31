import { dynamicScenarios } from "./dynamic-scenarios";
import type { FrontEnd } from "./plan";
import { pluginScenarios } from "./plugin-scenarios";
import type { Scenario } from "./scenario";

/** Everything that keyplane does with keys. Each scenario is a run that can be interrupted. */
export function scenariosOf(frontEnd: FrontEnd): readonly Scenario[] {
  return frontEnd === "plugin" ? pluginScenarios : dynamicScenarios;
}

/** The scenario with this name. */
export function scenarioOf(frontEnd: FrontEnd, name: string): Scenario {
  const scenario = scenariosOf(frontEnd).find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no scenario of the ${frontEnd} provider is called ${name}`);
  return scenario;
}
