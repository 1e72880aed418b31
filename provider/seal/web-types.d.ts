// Types of browsers that the declarations of age-encryption name. Nothing here uses them, and Node has none of them.
interface CryptoKey {
  readonly type: string;
}
interface AuthenticationExtensionsPRFValues {
  readonly first: unknown;
}
