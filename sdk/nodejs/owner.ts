import * as pulumi from "@pulumi/pulumi";
import { registeredInputs, typeToken, withDefaults } from "./shim";

/** Who owns a stack's keys; made by the first key of a program run. Its id is random and stays with the state. */
export class Owner extends pulumi.CustomResource {
  constructor(options?: pulumi.CustomResourceOptions) {
    const args = { project: pulumi.getProject(), stack: pulumi.getStack() };
    const inputs = registeredInputs("Owner", "keyplane", [], args, options);
    super(typeToken("Owner"), "keyplane", inputs, withDefaults(options));
  }
}
