import { createHash, randomInt } from "node:crypto";
import type { KeyEntity, KeyScope } from "./entities";

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Creates a secret: a neutral prefix and 64 random characters of `[a-z0-9]`. */
export const randomSecret = (): string =>
  `kp_${Array.from({ length: 64 }, () => alphabet[randomInt(alphabet.length)]).join("")}`;

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** The owner of a key's name. Names are unique among the live keys of one owner. */
const ownerOf = (scope: KeyScope): string => (scope.kind === "account" ? "" : scope.organizationId);

/** What the data file stores of the keys. */
export interface KeysSnapshot {
  nextId: number;
  adminId: number;
  live: KeyEntity[];
}

/** The live API keys of the account. A revoked key is removed immediately and permanently. */
export class ApiKeys {
  private live = new Map<number, KeyEntity>();
  private byHash = new Map<string, KeyEntity>();
  private names = new Map<string, Set<number>>();
  private secrets: string[] = [];
  private nextId = 100001;
  private adminId = 0;

  /**
   * @param admin - The secret of the admin key: the first key, and otherwise an ordinary account key.
   * @param now - Time of the control plane's clock.
   */
  constructor(admin: string, now: number) {
    this.adminId = this.add("admin", { kind: "account" }, admin, now).id;
  }

  /** Creates a key and its secret. */
  create(name: string, scope: KeyScope, now: number): { key: KeyEntity; secret: string } {
    const secret = randomSecret();
    return { key: this.add(name, scope, secret, now), secret };
  }

  /** Whether a live key of the same owner has this name. */
  isNameTaken(name: string, scope: KeyScope): boolean {
    return this.names.has(`${ownerOf(scope)}\n${name}`);
  }

  /** Returns the live key with this id. */
  get(id: number): KeyEntity | undefined {
    return this.live.get(id);
  }

  /** Returns the live key with this secret. */
  withSecret(secret: string): KeyEntity | undefined {
    return this.byHash.get(hashOf(secret));
  }

  /** Returns the live keys for which `owned` is true, newest first. */
  list(owned: (scope: KeyScope) => boolean): KeyEntity[] {
    return [...this.live.values()].filter((key) => owned(key.scope)).reverse();
  }

  /** Returns all live keys except the admin key, newest first. */
  listOthers(): KeyEntity[] {
    return this.list(() => true).filter((key) => key.id !== this.adminId);
  }

  /** Revokes a key. It no longer authenticates. */
  revoke(key: KeyEntity): void {
    const owner = `${ownerOf(key.scope)}\n${key.name}`;
    this.live.delete(key.id);
    this.byHash.delete(key.hash);
    const ids = this.names.get(owner);
    ids?.delete(key.id);
    if (ids?.size === 0) this.names.delete(owner);
  }

  /** Returns every secret created in this process, live or not. */
  secretsEverIssued(): string[] {
    return [...this.secrets];
  }

  /** Returns what the data file stores: hashes, no secrets. */
  save(): KeysSnapshot {
    return { nextId: this.nextId, adminId: this.adminId, live: [...this.live.values()] };
  }

  /** Loads the keys of a data file. This process's admin key replaces the stored one. */
  load({ nextId, adminId, live }: KeysSnapshot): void {
    const admin = this.live.get(this.adminId);
    this.live.clear();
    this.byHash.clear();
    this.names.clear();
    for (const key of live) this.index(key.id === adminId && admin ? { ...key, hash: admin.hash } : key);
    this.nextId = nextId;
    this.adminId = adminId;
    // A revoked admin key stays revoked only until the control plane starts with it again.
    if (admin && !this.live.has(adminId)) {
      this.adminId = this.nextId++;
      this.index({ ...admin, id: this.adminId });
    }
  }

  private add(name: string, scope: KeyScope, secret: string, now: number): KeyEntity {
    const key = { id: this.nextId++, name, hash: hashOf(secret), scope, createdAt: now };
    this.secrets.push(secret);
    return this.index({ ...key, lastUsedAt: null, lastUsedFromAddr: "" });
  }

  private index(key: KeyEntity): KeyEntity {
    const owner = `${ownerOf(key.scope)}\n${key.name}`;
    this.live.set(key.id, key);
    this.byHash.set(key.hash, key);
    this.names.set(owner, (this.names.get(owner) ?? new Set()).add(key.id));
    return key;
  }
}
