/** Version of this package, as its requests and `--version` tell it; a test keeps it equal to package.json. */
export const VERSION = "0.2.0";
