import type { Elsewhere } from '../entries/reach.ts';
import type { EntryMatches, SearchOptions } from '../entries/types.ts';
import { actorOf } from '../session/actor.ts';
import type { Invocation } from './invocation.ts';
import { entriesIn, type Opened } from './open.ts';
import { localTimes } from './terminal.ts';
import { spell } from './words.ts';

const SESSIONS_SHOWN = 10;
/** How long to search what other sessions keep. */
const SEARCHED_MS = 5000;
/** As much of a session's id as the plans show. */
const shortOf = (session: string): string => session.slice(0, 8);

/** The other sessions with entries, newest first, for whoever is in none: a person, or an agent that cannot say. */
export async function sessionsElsewhere(opened: Opened): Promise<Elsewhere[]> {
  const { pad, named } = opened;
  if (named || actorOf(pad.env).session !== undefined) return [];
  const { elsewhere } = await import('../entries/reach.ts');
  const { idOf } = await import('../core/session-folders.ts');
  return elsewhere(pad.root, await entriesIn(opened), idOf);
}

/** One line for each session that has entries: `2 more kept by session 3f2a1111, today 14:05: …`. */
export function tellElsewhere(
  call: Invocation,
  { config }: Opened,
  others: readonly Elsewhere[],
  more: '' | 'more ' = '',
): void {
  const local = localTimes(config);
  const today = local(call.now).slice(0, 10);
  for (const { session, count, newest } of others.slice(0, SESSIONS_SHOWN)) {
    const list = spell('-s', session, 'entry', 'list');
    const when = local(newest).replace(today, 'today');
    call.note(`${count} ${more}kept by session ${shortOf(session)}, ${when}: ${list}`);
  }
  const left = others.length - SESSIONS_SHOWN;
  if (left > 0) call.note(`and ${left} more sessions: scratchpad session list`);
}

type Found = EntryMatches & { session: string };

/** The name of an entry of another session, in a list of matches. */
export const nameElsewhere = ({ name, session }: Found): string => `${name} (session ${shortOf(session)})`;

/**
 * The lines of other sessions' entries that match, for a person: an agent is told where they are. It ends after some
 * seconds, and says how far it came.
 */
export async function searchElsewhere(
  call: Invocation,
  opened: Opened,
  pattern: string,
  { limit = 100, ...options }: SearchOptions,
): Promise<Found[]> {
  const others = await sessionsElsewhere(opened);
  if (others.length === 0) return [];
  if (actorOf(call.env).agent !== undefined) {
    tellElsewhere(call, opened, others);
    return [];
  }
  const until = Date.now() + SEARCHED_MS;
  const found: Found[] = [];
  let left = limit;
  for (const [k, { session, entries }] of others.entries()) {
    const before = found.length;
    for (const { name } of entries.index().entries.toReversed()) {
      const maxMs = until - Date.now();
      if (left <= 0 || maxMs <= 0) {
        call.note('the search ended early; these sessions were not searched to their end:');
        tellElsewhere(call, opened, others.slice(k));
        return found;
      }
      // One that went meanwhile, or cannot be read, hides none of the others.
      const hits = await entries
        .search(name, pattern, { ...options, limit: left, maxMs })
        .catch(() => undefined);
      if (hits === undefined || hits.matches === 0) continue;
      found.push({ ...hits, session });
      left -= hits.matches;
    }
    const first = found[before];
    if (first !== undefined) call.note(`to read it: ${spell('-s', session, 'entry', 'read', first.name)}`);
  }
  return found;
}
