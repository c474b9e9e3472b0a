import { plainLine, redactSecrets } from '../safety/index.ts';
import { shorten } from '../text/shorten.ts';
import { FACT_CHARACTERS } from './fact.ts';

/** Text that may be stored: one line, without secrets, of bounded length. */
export function keep(text: string, most = FACT_CHARACTERS): string {
  // A fact never starts a line, so characters for lists or headings are harmless.
  const line = plainLine(`: ${redactSecrets(text.slice(0, 4 * FACT_CHARACTERS))}`).slice(2);
  return shorten(line, most);
}
