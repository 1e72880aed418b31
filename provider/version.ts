/** Version of this package, for its requests and `--version`. A test keeps it equal to package.json. */
export const VERSION = "0.2.0";
