import type * as pulumi from "@pulumi/pulumi";

/** Who can open a sealed key. The key is sealed once in each format that is given. */
export interface SealTo {
  /**
   * Public keys of age with 62 characters, which begin with `age1`: `age-keygen` makes them. Each of them can open the same
   * text. Keys with post-quantum security (`age1pq1`), of plugins and of SSH are refused.
   */
  readonly age?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * The public key of a repository, an environment or an organization, with which GitHub takes secrets. You can pass the
   * result of `getActionsPublicKey` of Pulumi's GitHub provider.
   */
  readonly githubActions?: pulumi.Input<GitHubActionsKey>;
}

/** A public key with which GitHub takes secrets. */
export interface GitHubActionsKey {
  /** The public key: 44 characters of base64. */
  readonly key: pulumi.Input<string>;
  /** The id that GitHub gives to the public key. It has no effect on the sealed text. */
  readonly keyId?: pulumi.Input<string>;
}

/** A sealed key, in each format of its recipients. It is no secret: only they can open it. */
export interface SealedKey {
  /** The key in a file of age, as armored text; absent without recipients of age. */
  readonly age?: string;
  /** The key as the input `valueEncrypted` of a secret in GitHub takes it; absent without a public key of GitHub. */
  readonly githubActions?: string;
}
