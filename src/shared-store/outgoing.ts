import { redactSecrets } from '../base/safety/index.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import type { Spaces } from '../session/journal.ts';
import { mergeText } from '../session/merge.ts';

/** Makes a text safe to leave this machine. Keeps the number of lines; idempotent. */
export type Outgoing = (text: string) => string;

/**
 * Prepares every text for sending: secrets are redacted unless the server is trusted with them. NUL and lone
 * surrogates, which a text column cannot hold, are always replaced.
 */
export function outgoing(redact: boolean): Outgoing {
  return (text) => (redact ? redactSecrets(text) : text).replaceAll('\0', '\u2400').toWellFormed();
}

/** Applies a function to each of the three spaces. */
export function eachSpace(change: (space: SpaceName) => string): Spaces {
  return Object.fromEntries(SPACE_NAMES.map((space) => [space, change(space)])) as Record<SpaceName, string>;
}

/**
 * The server's text with the redacted parts restored in lines that nobody has changed since, so that this
 * machine keeps its own text.
 * @param base the text that was sent, before redaction
 */
export function restored(server: string, base: string, send: Outgoing): string {
  const sent = send(base);
  return sent === base ? server : mergeText(sent, base, server).content;
}
