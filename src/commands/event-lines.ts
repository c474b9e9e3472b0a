import { forTerminal, safeJson } from '../safety/index.ts';
import { type Invocation, write } from './invocation.ts';

/** Prints events as they happen: one JSON object per line with `--json`, else one line of text. */
export function eventLines<Event extends { event: string }>(
  { options }: Invocation,
  inWords: (event: Event) => string,
): (event: Event) => void {
  return (event) => {
    const at = new Date();
    if (options.json) write(1, `${safeJson({ at: at.toISOString(), ...event })}\n`);
    else if (!options.quiet) {
      const words = forTerminal(inWords(event)).replace(/\n/g, ' ');
      write(1, `${at.toTimeString().slice(0, 8)} ${words}\n`);
    }
  };
}
