import { SPACE_NAMES, SPACE_TITLES } from '../pad/markers.ts';
import { forTerminal } from '../safety/index.ts';
import { counted } from '../text/counts.ts';
import type { Ledger } from './ledger.ts';

/** One item that a window was told. */
export interface Told {
  /** ISO 8601, UTC. */
  at: string;
  text: string;
}

/** The items that a window was told, oldest first; a space counts as one item. */
export function toldIn({ lines, spaces }: Ledger): Told[] {
  const told = (['own', 'shared'] as const).flatMap((pad) =>
    SPACE_NAMES.flatMap((name) => {
      const known = spaces[pad][name];
      if (known === undefined) return [];
      const text = `${SPACE_TITLES[name]}${pad === 'own' ? ' of its own pad' : ''}, ${counted(known.lines.length, 'line')}`;
      return { at: known.at, text };
    }),
  );
  for (const { at, text } of Object.values(lines)) told.push({ at, text });
  return told
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => ({ at: new Date(at).toISOString(), text: forTerminal(text) }));
}

/** The same on one line, for `status`. */
export function toldInShort(session: string, ledger: Ledger): string {
  const told = toldIn(ledger);
  const began = new Date(ledger.began).toISOString();
  const what =
    told.length === 0 ? 'nothing yet' : `${counted(told.length, 'thing')}, the last at ${told.at(-1)?.at}`;
  return forTerminal(`session ${session}, window since ${began} (${ledger.by}): ${what}`);
}
