/** A queue with one reader. */

/** Stores messages until they are taken. Returns nothing more once it is closed. */
export class Mailbox<Message> {
  private readonly messages: Message[] = [];
  private reader: ((message: Message | undefined) => void) | undefined;
  private closed = false;

  /** Adds a message. Drops it if the queue is closed. */
  send(message: Message): void {
    if (this.closed) return;
    if (this.reader === undefined) this.messages.push(message);
    else this.answer(message);
  }

  /** Returns the next message, or `undefined` once the queue is closed. */
  async next(): Promise<Message | undefined> {
    if (this.closed) return undefined;
    const message = this.messages.shift();
    if (message !== undefined) return message;
    return new Promise((resolve) => {
      this.reader = resolve;
    });
  }

  /** Drops all remaining messages and closes the queue. */
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
