import type { Dispatcher } from "undici";
import { publishDiagnostic } from "./diagnostics";

/** Codes that prove that nothing was sent: no connection was established, or undici did not accept the request. */
const NEVER_SENT = new RegExp(
  `^(${[
    "ECONNREFUSED|ENOTFOUND|EAI_\\w+|PROXY_(REFUSED|CLOSED)|UND_ERR_(CONNECT_TIMEOUT|INVALID_ARG|NOT_SUPPORTED)",
    "ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|\\w*ALERT_PROTOCOL_VERSION)",
    "ERR_TLS_CERT_ALTNAME_INVALID|CERT_\\w+|UNABLE_TO_\\w+|SELF_SIGNED_\\w+|DEPTH_ZERO_\\w+|HOSTNAME_MISMATCH",
  ].join("|")})$`,
);

/** Pools that have announced a request. For other pools, a missing announcement does not prove that none was sent. */
const announcing = new WeakSet<Dispatcher>();

/**
 * Whether one attempt was sent. Most error codes do not show it (`ECONNRESET` comes before and after), but undici
 * announces each request right before it writes it. In doubt, the attempt counts as sent, because a change must not be
 * applied twice.
 */
export class SentMark {
  #isWritten = false;

  constructor(
    private readonly connections: Dispatcher,
    private readonly route: string,
  ) {}

  /** Records that undici announces the request, and whether undici may write it. */
  announced(isWritten: boolean): void {
    announcing.add(this.connections);
    if (!isWritten) return;
    this.#isWritten = true;
    // undici writes the request before it returns.
    process.nextTick(publishDiagnostic, "after-send", this.route);
  }

  /** Whether the service may have received the request, as far as is known now. */
  get maybeSent(): boolean {
    return this.#isWritten || !announcing.has(this.connections);
  }

  /** The same for an attempt that ended with an error of this code. */
  maybeSentDespite(code: string): boolean {
    return this.#isWritten || (this.maybeSent && !NEVER_SENT.test(code));
  }
}
