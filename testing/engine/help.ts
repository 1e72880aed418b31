/** What `keyplane-engine --help` prints. */
export const HELP = `The embedded engine: deploys Pulumi programs of dynamic resources where the Pulumi CLI is not installed.

Usage: keyplane-engine COMMAND [FLAGS]

Commands, as those of pulumi:
  up, preview, refresh, destroy           deploy the program in this folder, or take its resources down
  stack init|export|import|output         make a stack, and read or replace its state
  state delete URN                        take a resource out of the state
  config set KEY [VALUE] [--secret]       set a value of the stack's configuration
  cancel                                  remove the lock of a run that was killed

Flags of most commands:
  --stack NAME     the stack (default: PULUMI_STACK)
  --cwd FOLDER     the program's folder (default: this one)
  --yes            do not ask
  --json           print JSON
  --version        print the version

The state is in the folder of PULUMI_BACKEND_URL=file://..., encrypted with PULUMI_CONFIG_PASSPHRASE.
What it does and does not: node_modules/keyplane/docs/engine.md
`;
