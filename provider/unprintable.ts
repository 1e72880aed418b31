// Characters that disguise text or disturb a terminal, as parts of a character class. Each pattern extends the one before.

/** Control characters (C0, DEL, C1), lone surrogates, line separators, and characters that change the text direction. */
const DISTURBING = "\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";

/** Also all other invisible characters, including unassigned ones that terminals hide. */
const INVISIBLE = `${DISTURBING}\\p{Cf}\\u2065\\u{e0000}-\\u{e007f}`;

/** In text of the service that is stored. Joiners stay, because a key is found again by its stored name. */
export const UNSTORABLE: RegExp = new RegExp(`[${DISTURBING}]+`, "gu");

/** In text of others that is only shown. */
export const UNPRINTABLE: RegExp = new RegExp(`[${INVISIBLE}]+`, "gu");

/** In a name that a user chooses: also private and unassigned characters, which look different everywhere. */
export const NOT_IN_NAMES: RegExp = new RegExp(`[${INVISIBLE}\\p{Co}\\p{Cn}]`, "u");
