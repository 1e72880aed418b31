import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Path of the Chromium on the PATH; `undefined` if there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const files = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** An answer or an event of the browser. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A Chromium without a window, driven over a pipe. It cannot reach the network. */
export class Browser {
  /** What the browser reported, in order: events with their parameters. */
  readonly events: Message[] = [];
  readonly #waiting = new Map<number, (message: Message) => void>();
  #session: string | undefined;
  #sent = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
  ) {
    let rest = "";
    (child.stdio[4] as Readable).setEncoding("utf8").on("data", (data: string) => {
      const parts = (rest + data).split("\0");
      rest = parts.pop() ?? "";
      for (const part of parts) this.#receive(JSON.parse(part) as Message);
    });
  }

  static async start(file: string): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), "keyplane-browser-"));
    // Chromium refuses its sandbox to root, such as in a container.
    const isRoot = process.getuid?.() === 0;
    const own = [
      "--headless=new",
      ...(isRoot ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--no-first-run",
      "--remote-debugging-pipe",
    ];
    const args = [...own, "--proxy-server=127.0.0.1:9", `--user-data-dir=${profile}`, "about:blank"];
    const child = spawn(file, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    const browser = new Browser(child, profile);
    const { targetInfos } = await browser.send("Target.getTargets");
    const page = (targetInfos as { type: string; targetId: string }[]).find(({ type }) => type === "page");
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId: page?.targetId, flatten: true });
    browser.#session = String(sessionId);
    for (const domain of ["Page", "Log", "Runtime", "Network"]) await browser.send(`${domain}.enable`);
    return browser;
  }

  send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#sent;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    (this.child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result = {}, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
  }

  /** Opens a page with a window of this width. Returns when it is loaded. */
  async open(url: string, width: number, scheme: "light" | "dark" = "light"): Promise<void> {
    const size = { width, height: 900, deviceScaleFactor: 1, mobile: false };
    await this.send("Emulation.setDeviceMetricsOverride", size);
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    this.events.length = 0;
    await this.send("Page.navigate", { url });
    await this.until(`document.readyState === "complete" && location.href === ${JSON.stringify(url)}`);
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (answer.exceptionDetails !== undefined)
      throw new Error(`${expression}: ${JSON.stringify(answer.exceptionDetails)}`);
    return (answer.result as { value: T }).value;
  }

  /** Waits until an expression in the page is true. */
  async until(expression: string): Promise<void> {
    for (let tries = 0; !(await this.evaluate<boolean>(expression)); tries++) {
      if (tries > 400) throw new Error(`timed out waiting for ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Presses a key, such as `Tab` or `Enter`. */
  async press(key: string): Promise<void> {
    const codes: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, ArrowDown: 40 };
    const text = key === "Enter" ? { text: "\r" } : {};
    const named = { key, code: key, windowsVirtualKeyCode: codes[key], ...text };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...named });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...named });
  }

  /** What the page logged, and what its policy refused. */
  problems(): readonly string[] {
    const shown = [
      "Log.entryAdded",
      "Runtime.exceptionThrown",
      "Runtime.consoleAPICalled",
      "Page.javascriptDialogOpening",
    ];
    return this.events
      .filter(({ method }) => shown.includes(method ?? ""))
      .map((event) => JSON.stringify(event.params));
  }

  /** The addresses that the page requested. */
  requests(): readonly string[] {
    const sent = this.events.filter(({ method }) => method === "Network.requestWillBeSent");
    return sent.map(({ params = {} }) => (params.request as { url: string }).url);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("close", resolve));
    this.child.kill("SIGKILL");
    await ended;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  #receive(message: Message): void {
    if (message.id === undefined) {
      this.events.push(message);
      return;
    }
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}
