const LOWER = "abcdefghijklmnopqrstuvwxyz";

/** The letters and digits. */
export const LETTERS_AND_DIGITS = `${LOWER}${LOWER.toUpperCase()}0123456789`;

/** Bytes to search, as they are in a text or decoded from a part of it. */
export interface Piece {
  readonly bytes: Buffer;
  /** Whether there is more text before or after them, so that what touches their start or end may be incomplete. */
  readonly openStart: boolean;
  readonly openEnd: boolean;
}
