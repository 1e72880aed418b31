import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { accountFingerprint, originFingerprint } from "../../provider/keys/account-fingerprint";

const API_KEY = "an-admin-key-of-the-recording-0001";

/** Versions that have a recording of both front ends: `npm run upgrade:record` makes one. */
export const versions = readdirSync(__dirname).filter((name) => name.startsWith("0.") && name !== "0.1");

/** What a version left of a stack of one front end, in the account that it left. */
export class Recording {
  private constructor(
    private readonly folder: string,
    private readonly data: string,
    readonly plane: ControlPlane,
  ) {}

  static async open(version: string, frontEnd: string): Promise<Recording> {
    const folder = join(__dirname, version, frontEnd);
    const data = mkdtempSync(join(tmpdir(), "keyplane-upgrade-"));
    writeFileSync(join(data, "control-plane.json"), asOfNow(folder, "control-plane.json"));
    const plane = await startControlPlane({ data: join(data, "control-plane.json"), apiKey: API_KEY });
    return new Recording(folder, data, plane);
  }

  /** Whether a version recorded a file. */
  static has(version: string, frontEnd: string, name: string): boolean {
    return existsSync(join(__dirname, version, frontEnd, name));
  }

  /** A recorded file, with the address and the fingerprints of this account. */
  text(name: string): string {
    const fingerprint = accountFingerprint({ baseUrl: this.plane.url, apiKey: API_KEY });
    return asOfNow(this.folder, name)
      .replaceAll("BASE_URL", this.plane.url)
      .replaceAll("FINGERPRINT", fingerprint)
      .replaceAll("ADDRESS_MARK", originFingerprint(this.plane.url));
  }

  async close(): Promise<void> {
    await this.plane.close();
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** A recorded file, with times as if it was recorded now: keys in it must not become due with the date of a test run. */
function asOfNow(folder: string, name: string): string {
  const state = JSON.parse(readFileSync(join(folder, "state.json"), "utf8"));
  const age = Math.floor((Date.now() - Date.parse(state.deployment.manifest.time)) / 1_000) * 1_000;
  const seconds = (time: number) => new Date(time).toISOString().slice(0, 19);
  const later = (time: string) => seconds(Date.parse(`${time}Z`) + age);
  return readFileSync(join(folder, name), "utf8").replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[.Z])/g, later);
}
