import type { EngineEvent } from "../run/events";
import { type Row, RunModel } from "./model";
import { isTold, messageLines, outputLines, rowLines, type Style, summaryLines, type Widths } from "./render";
import { painter } from "./text";

/** Where and how a run is displayed. */
export interface DisplayOptions {
  /** The first line, such as `Updating dev`. */
  readonly title: string;
  readonly stream: NodeJS.WritableStream;
  /** Whether active steps are redrawn in place. Needs a terminal. If false, lines are only added. */
  readonly live: boolean;
  readonly color: boolean;
  /** Number of columns of the terminal. No limit without a terminal. */
  readonly columns: () => number;
  /** Whether the run only plans. */
  readonly planning: boolean;
  /**
   * Current time in milliseconds.
   * @default performance.now
   */
  readonly now?: () => number;
}

/** Displays one pass of a run. */
export interface Display {
  /** Processes an event. */
  show(event: EngineEvent): void;
  /** Shows the messages, the outputs and the summary, and ends the display. */
  end(): void;
}

const REDRAW_MS = 200;
// Minimum interval between messages of an active step, if its line cannot be redrawn.
const QUIET_MS = 10_000;
const MOST_LIVE_ROWS = 10;

/** Display options for a stream: live in a terminal, and without colors if `NO_COLOR` is set. */
export function displayOptionsFor(
  stream: NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>,
  env: NodeJS.ProcessEnv,
  interactive: boolean,
): Pick<DisplayOptions, "stream" | "live" | "color" | "columns"> {
  const terminal = stream.isTTY === true && env.TERM !== "dumb";
  return {
    stream,
    live: terminal && interactive,
    color: terminal && !env.NO_COLOR,
    columns: () => (terminal ? stream.columns || 80 : Number.POSITIVE_INFINITY),
  };
}

/** Starts to display one pass of a run. */
export function openDisplay(options: DisplayOptions): Display {
  return options.live ? new LiveDisplay(options) : new LineDisplay(options);
}

/** Common parts of both displays. */
abstract class RunDisplay implements Display {
  protected readonly model = new RunModel();
  // Wide enough for most names, so that columns rarely shift.
  private readonly widths: Widths = { type: 20, name: 16 };
  protected readonly now: () => number;
  private readonly started: number;
  private hasRows = false;

  constructor(protected readonly options: DisplayOptions) {
    this.now = options.now ?? (() => performance.now());
    this.started = this.now();
    this.write([this.style.paint("strong", options.title), ""]);
  }

  show(event: EngineEvent): void {
    const row = this.model.take(event, this.now());
    if (!row) return;
    this.hasRows ||= row.state !== "running" && isTold(row);
    this.showRow(row);
  }

  end(): void {
    const lines = [
      ...messageLines(this.model.messages, this.style),
      ...outputLines(this.model.outputs, this.style),
      ...summaryLines(this.model, this.now() - this.started, this.style),
    ];
    this.write([...(this.hasRows ? [""] : []), ...lines, ""]);
  }

  protected abstract showRow(row: Row): void;

  protected lines(row: Row): string[] {
    return rowLines(row, this.now(), this.widths, this.style);
  }

  protected write(lines: readonly string[]): void {
    this.options.stream.write(lines.map((line) => `${line}\n`).join(""));
  }

  protected get style(): Style {
    const { color, columns, planning } = this.options;
    return { paint: painter(color), columns: columns(), planning };
  }
}

/** Only adds lines, for pipes and files. */
class LineDisplay extends RunDisplay {
  private readonly spokeAt = new Map<string, number>();

  protected showRow(row: Row): void {
    if (row.state !== "running") {
      this.spokeAt.delete(row.urn);
      if (isTold(row)) this.write(this.lines(row));
      return;
    }
    if (row.message === "") return;
    const spoke = this.spokeAt.get(row.urn);
    if (spoke !== undefined && this.now() - spoke < QUIET_MS) return;
    this.spokeAt.set(row.urn, this.now());
    this.write(this.lines(row));
  }
}

/** Redraws active steps below completed ones. */
class LiveDisplay extends RunDisplay {
  private drawn = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(options: DisplayOptions) {
    super(options);
    this.timer = setInterval(() => this.draw([]), REDRAW_MS).unref();
  }

  override end(): void {
    clearInterval(this.timer);
    // Steps that are still active do not end: components do not have to register outputs.
    this.redraw([], []);
    super.end();
  }

  protected showRow(row: Row): void {
    if (row.state !== "running" && isTold(row)) this.draw(this.lines(row));
  }

  /** Adds permanent lines, and redraws the live lines below them. */
  private draw(ended: readonly string[]): void {
    const active = this.model.active.filter(isTold);
    const live = active.slice(0, MOST_LIVE_ROWS).flatMap((row) => this.lines(row));
    if (active.length > live.length) live.push(this.style.paint("quiet", `   and ${active.length - live.length} more`));
    this.redraw(ended, live);
  }

  private redraw(ended: readonly string[], live: readonly string[]): void {
    const lines = [...ended, ...live];
    if (lines.length === 0 && this.drawn === 0) return;
    const up = this.drawn > 0 ? `\u001b[${this.drawn}A` : "";
    this.drawn = live.length;
    // One write, so that the screen never shows a partial update.
    this.options.stream.write(`${up}\u001b[0J${lines.map((line) => `${line}\n`).join("")}`);
  }
}
