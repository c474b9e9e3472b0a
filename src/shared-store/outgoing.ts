import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { redactSecrets } from '../safety/index.ts';
import type { Spaces } from '../session/journal.ts';
import { mergeText } from '../session/merge.ts';

/** A text as it may leave this machine. It has as many lines as before, and giving it twice changes nothing. */
export type Outgoing = (text: string) => string;

/**
 * What is done to every text before it is sent: secrets are taken out unless the server is trusted with them. NUL and
 * lone surrogates, which no text column holds, are replaced in any case.
 */
export function outgoing(redact: boolean): Outgoing {
  return (text) => (redact ? redactSecrets(text) : text).replaceAll('\0', '\u2400').toWellFormed();
}

/** Applies a function to each of the three spaces. */
export function eachSpace(change: (space: SpaceName) => string): Spaces {
  return Object.fromEntries(SPACE_NAMES.map((space) => [space, change(space)])) as Record<SpaceName, string>;
}

/**
 * The server's text with what was taken out of it on the way there put back, where nobody has changed those lines
 * since: this machine keeps its own words.
 * @param base the text that was sent, as it was here
 */
export function restored(server: string, base: string, send: Outgoing): string {
  const sent = send(base);
  return sent === base ? server : mergeText(sent, base, server).content;
}
