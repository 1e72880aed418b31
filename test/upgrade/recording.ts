import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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
    cpSync(join(folder, "control-plane.json"), join(data, "control-plane.json"));
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
    const text = readFileSync(join(this.folder, name), "utf8");
    return text
      .replaceAll("BASE_URL", this.plane.url)
      .replaceAll("FINGERPRINT", fingerprint)
      .replaceAll("ADDRESS_MARK", originFingerprint(this.plane.url));
  }

  async close(): Promise<void> {
    await this.plane.close();
    rmSync(this.data, { recursive: true, force: true });
  }
}
