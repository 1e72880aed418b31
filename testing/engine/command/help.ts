/** The text of `keyplane-engine --help`. */
export const HELP = `The embedded engine: deploys Pulumi programs in Node without the Pulumi CLI.

Usage: keyplane-engine COMMAND [FLAGS]

Commands, as in pulumi:
  up, preview, refresh, destroy           deploy the program in this folder, or delete its resources
  stack output [NAME]                     print what the program exports, with --json and --show-secrets
  stack export                            print the state, with --show-secrets
  stack history --json                    print the runs of the stack, with --page-size N
  config --json --show-secrets            print the configuration of the stack, decrypted
  cancel                                  remove the lock of a killed run

Flags of most commands:
  --stack NAME     the stack (default: PULUMI_STACK)
  --cwd FOLDER     the program's folder (default: this one)
  --yes            do not ask
  --version        print the version

The state is in the folder of PULUMI_BACKEND_URL=file://..., encrypted with PULUMI_CONFIG_PASSPHRASE.
Supported features: node_modules/keyplane/testing/engine/README.md
`;
