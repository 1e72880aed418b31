import * as pulumi from "@pulumi/pulumi";

/** Inputs of a `Deployment`. */
export interface DeploymentArgs {
  /** The API key that the application authenticates with. */
  readonly apiKey: pulumi.Input<string>;
}

/** Represents anything that needs the key: a container, a function, a job. It takes the secret as an input. */
export class Deployment extends pulumi.ComponentResource {
  /** Environment variables of the application. They contain the secret, so Pulumi keeps them encrypted too. */
  readonly environment: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: DeploymentArgs, options?: pulumi.ComponentResourceOptions) {
    super("quickstart:Deployment", name, {}, options);
    this.environment = pulumi.all({ DATABASE_API_KEY: args.apiKey });
    this.registerOutputs({ environment: this.environment });
  }
}
