/** A queue with one reader. */

/** Holds what was sent until it is taken. Once closed it gives nothing more. */
export class Mailbox<Message> {
  private readonly messages: Message[] = [];
  private reader: ((message: Message | undefined) => void) | undefined;
  private closed = false;

  /** Adds a message. One sent after closing is dropped. */
  send(message: Message): void {
    if (this.closed) return;
    if (this.reader === undefined) this.messages.push(message);
    else this.answer(message);
  }

  /** The next message; undefined once closed. */
  async next(): Promise<Message | undefined> {
    if (this.closed) return undefined;
    const message = this.messages.shift();
    if (message !== undefined) return message;
    return new Promise((resolve) => {
      this.reader = resolve;
    });
  }

  /** Drops what is left and gives nothing more. */
  close(): void {
    this.closed = true;
    this.messages.length = 0;
    if (this.reader) this.answer(undefined);
  }

  private answer(message: Message | undefined): void {
    const { reader } = this;
    this.reader = undefined;
    reader?.(message);
  }
}
