/** The text of `keyplane-engine --help`. */
export const HELP = `The embedded engine: deploys Pulumi programs in Node without the Pulumi CLI.

Usage: keyplane-engine COMMAND [FLAGS]

Commands, as in pulumi:
  up, preview, refresh, destroy           deploy the program in this folder, or delete its resources
  import TYPE NAME ID                     import a resource that exists
  stack init|export|import|output         create a stack, and read or replace its state
  stack history --json                    the runs of a stack, with --page-size N and --page N
  stack rename NAME                       rename a stack, its configuration and its history
  state delete|taint URN                  remove a resource from the state, or let the next up replace it
  state rename URN NAME                   rename a resource in the state
  state move URN... --source S --dest D   move resources to the state of another stack
  config get KEY                          print a value of the stack's configuration, decrypted
  config set KEY [VALUE] [--secret]       set a value of the stack's configuration
  cancel                                  remove the lock of a killed run

Flags of most commands:
  --stack NAME     the stack (default: PULUMI_STACK)
  --cwd FOLDER     the program's folder (default: this one)
  --yes            do not ask
  --json           print JSON
  --version        print the version

The state is in the folder of PULUMI_BACKEND_URL=file://..., encrypted with PULUMI_CONFIG_PASSPHRASE.
Supported features: node_modules/keyplane/testing/engine/README.md
`;
