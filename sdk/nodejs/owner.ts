import * as pulumi from "@pulumi/pulumi";
import { keeperName, type PlaceArgs } from "./place";
import { registeredInputs, typeToken, withDefaults } from "./shim";

/**
 * Who owns a stack's keys in one place; made by the first key there of a program run. Its id is random and stays with
 * the state.
 */
export class Owner extends pulumi.CustomResource {
  constructor(place: PlaceArgs, options?: pulumi.CustomResourceOptions) {
    const name = keeperName(place);
    const args = { project: pulumi.getProject(), stack: pulumi.getStack(), ...place };
    super(typeToken("Owner"), name, registeredInputs("Owner", name, [], args, options), withDefaults(options));
  }
}
