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
  /** The entry of a `SealedSecret` that a controller of Sealed Secrets opens in its cluster. */
  readonly kubernetes?: pulumi.Input<KubernetesRecipient>;
  /**
   * Public keys for RSA in PEM (`-----BEGIN PUBLIC KEY-----`) with 2,048 bits or more, such as those of AWS KMS, Google
   * Cloud KMS and Azure Key Vault. Each of them gets its own text, which RSA-OAEP with SHA-256 and without a label opens.
   */
  readonly rsa?: pulumi.Input<pulumi.Input<string>[]>;
}

/** A public key with which GitHub takes secrets. */
export interface GitHubActionsKey {
  /** The public key: 44 characters of base64. */
  readonly key: pulumi.Input<string>;
  /** The id that GitHub gives to the public key. It has no effect on the sealed text. */
  readonly keyId?: pulumi.Input<string>;
}

/** The place of a `SealedSecret`, and who opens it. */
export interface KubernetesRecipient {
  /** The certificate of the controller in PEM, which `kubeseal --fetch-cert` prints. It must not have expired. */
  readonly certificate: pulumi.Input<string>;
  /** The namespace of the secret. Only the scope `"cluster-wide"` does not need it. */
  readonly namespace?: pulumi.Input<string>;
  /** The name of the secret. Only the scope `"strict"` needs it. */
  readonly name?: pulumi.Input<string>;
  /**
   * Where the text can be opened: only as this name in this namespace, under any name in it, or anywhere in the cluster.
   * The `SealedSecret` needs the annotation of the same scope.
   * @default "strict"
   */
  readonly scope?: pulumi.Input<"strict" | "namespace-wide" | "cluster-wide">;
}

/** A sealed key, in each format of its recipients. It is no secret: only they can open it. */
export interface SealedKey {
  /** The key in a file of age, as armored text; absent without recipients of age. */
  readonly age?: string;
  /** The key as the input `valueEncrypted` of a secret in GitHub takes it; absent without a public key of GitHub. */
  readonly githubActions?: string;
  /** The key as an entry of `encryptedData` in a `SealedSecret`; absent without a recipient in Kubernetes. */
  readonly kubernetes?: string;
  /** The key in base64 for each public key in `rsa`, in the same order; absent without these. */
  readonly rsa?: string[];
}
