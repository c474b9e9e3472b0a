import { parse } from 'node:path';
import { usageError } from '../base/errors.ts';
import { PAD_FILE } from '../base/fs/index.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { foldLetters, foldText, sliceCharacters } from '../base/text/strings.ts';
import { MOST_BYTES } from '../entries/contents.ts';
import { listReachable } from '../entries/reach.ts';
import { searchText } from '../entries/search.ts';
import { ownSession } from '../handover/index.ts';
import { STOPWORDS } from '../memory/terms.ts';
import { parseRefs } from '../pad/budget.ts';
import { listOwnLines } from '../pad/document.ts';
import { abbreviateSession, detectActor, isOfOtherChat } from '../session/actor.ts';
import type { Snapshot } from '../session/store.ts';
import { listItems } from '../transcript/record.ts';
import { readStoredSessions } from '../transcript/store.ts';
import { defineCommand } from './command.ts';
import { listEntriesElsewhere, noteEntriesElsewhere } from './entry.ts';
import { buildHandoverOptions } from './handover.ts';
import { dropSession, type Invocation, readWords } from './invocation.ts';
import { listEntryPlaces, type OpenPad, openKnown, requireWorkspace } from './open.ts';
import { makeTimeFormatter, NOTHING_FOUND } from './print.ts';
import { noteOtherPlans } from './spaces.ts';
import { listHostSessions } from './transcript.ts';

/** A line that was found, and where: `notes:3`, `SCRATCHPAD.md:12`, `entry build:120`, `memory/2026-02-03.md:14`. */
interface Hit {
  place: string;
  text: string;
}

const SHOWN_CHARACTERS = 200;
const MOST_SESSIONS = 10;

export const search = defineCommand({
  takes: {
    '[words...]': 'what to look for, or a question; - for stdin',
    '-n, --limit <n>': 'at most this many lines from each source (default 10)',
  },
  examples: ['scratchpad search timezone', 'scratchpad search token expiry'],
  run: async (call, { words, limit: most = 10 }) => {
    const query = readWords(words);
    if (query === '') throw usageError('nothing to search for', { expected: 'words, or - for stdin' });

    const opened = await openKnown(call);
    const snapshot = await opened.pad.store.read();
    call.warn(snapshot.notices);

    const wanted = foldText(query).split(/\s+/);
    const results = await searchWorkspace(call, opened, snapshot, wanted);
    if (results.plan.some(({ place }) => place.startsWith('plan '))) noteOtherPlans(call, snapshot.seen);
    const sources = { ...results, memory: await searchMemoryFiles(call, query, most) };
    const hits = Object.entries(sources).flatMap(([source, all]) => {
      if (all.length > most) call.note(`${all.length - most} more in ${source}: --limit ${all.length}`);
      return all.slice(0, most).map(({ place, text }) => ({ source, place, text: cutAround(text, wanted) }));
    });

    if (hits.length === 0) {
      requireWorkspace(opened, call, 'no match');
      if (detectActor(call.env).agent !== undefined) noteEntriesElsewhere(call, opened);
      call.exitCode = NOTHING_FOUND;
      call.note(`no match in ${Object.keys(sources).join(', ')}`);
    }

    const lines = hits.map(({ place, text }) => `${place}: ${text}`);
    call.print({ query, hits }, lines);
  },
});

/** The lines that hold all words; if there are none, those with two thirds of the words that are no stopwords. */
async function searchWorkspace(
  call: Invocation,
  opened: OpenPad,
  { spaces, document, seen, isWithheld }: Snapshot,
  wanted: readonly string[],
) {
  // Where a pad is not approved, files beside it may be a stranger's, too.
  const messages = isWithheld ? [] : await listMessages(call, opened);
  const others = isWithheld ? [] : (seen?.others ?? []);
  const plans = [{ place: 'plan', content: spaces.plan }].concat(
    others.map(({ number, content }) => ({ place: `plan ${number}`, content })),
  );
  const searchAll = async (matches: (text: string) => boolean) => {
    const searchLines = (place: string, lines: readonly string[]): Hit[] =>
      lines.map((text, k) => ({ place: `${place}:${k + 1}`, text })).filter(({ text }) => matches(text));
    return {
      plan: plans.flatMap(({ place, content }) => searchLines(place, content.split('\n'))),
      notes: searchLines('notes', spaces.notes.split('\n')),
      refs: searchLines('refs', parseRefs(spaces.refs)),
      file: listOwnLines(document)
        .filter(({ text }) => matches(text))
        .map(({ line, text }) => ({ place: `${PAD_FILE}:${line}`, text })),
      entries: await searchEntries(opened, matches),
      sessions: messages.filter(({ text }) => matches(text)),
    };
  };

  const results = await searchAll((text) => countWords(text, wanted) === wanted.length);
  if (Object.values(results).some(({ length }) => length > 0)) return results;

  const content = wanted.map((word) => word.replace(/[?!.,;:]+$/, '')).filter((word) => !STOPWORDS.has(word));
  const least = Math.ceil((content.length * 2) / 3);
  return least > 0 ? searchAll((text) => countWords(text, content) >= least) : results;
}

/** The messages of the last sessions here, the newest first; not of the session that asks, which has them. */
async function listMessages(call: Invocation, opened: OpenPad): Promise<Hit[]> {
  const { root } = opened.workspace;
  const { session: asking } = detectActor(call.env);
  // The file of each session tells where it ran.
  const options = { ...buildHandoverOptions(dropSession(call), opened), cwd: undefined };
  const files = await listHostSessions(call, opened, MOST_SESSIONS);
  const sessions = await Promise.all(
    files.map(({ id, path }) => ownSession({ ...options, session: id, transcript: path })),
  );
  const ids = new Set(files.map(({ id }) => id));
  const stored = readStoredSessions(root).filter(
    ({ session }) => !ids.has(session) && !isOfOtherChat(session, asking),
  );
  // A file that was read by its path alone is stored under that.
  const paths = [...files, ...stored.filter(({ session, path }) => session !== path)].map(({ path }) => path);
  const formatTime = makeTimeFormatter(opened.config);

  return [...sessions, ...stored].flatMap((session) => {
    if (session === undefined || session.session === asking || paths.includes(session.session)) return [];

    const items = listItems(session.record).filter(({ id }) => !session.forgotten.includes(id));
    return items.toReversed().flatMap((item) => {
      if (item.type !== 'person' && item.type !== 'agent' && item.type !== 'plan') return [];

      const facts = [
        item.type === 'agent' ? 'agent' : (item.type === 'person' && item.doubt) || 'person',
        item.timestamp && formatTime(item.timestamp),
      ];
      const place = `session ${abbreviateSession(parse(session.session).name)} (${facts.filter(Boolean).join(', ')})`;
      return { place, text: redactSecrets(item.text) };
    });
  });
}

async function searchEntries(opened: OpenPad, matches: (text: string) => boolean): Promise<Hit[]> {
  const hits: Hit[] = [];
  const own = (await listReachable(await listEntryPlaces(opened))).map((each) => ({ ...each, owner: '' }));
  const isPerson = detectActor(opened.pad.env).agent === undefined;
  const others = (isPerson ? listEntriesElsewhere(opened) : []).flatMap(({ id, entries: place }) =>
    place.index().entries.map((info) => ({ place, info, owner: ` of session ${abbreviateSession(id)}` })),
  );
  for (const { place, info, owner } of [...own, ...others]) {
    // A larger file is not what was stored, and would take minutes.
    const text = (await place.bytes(info.name)).subarray(0, MOST_BYTES).toString();
    const { lines } = await searchText(
      info.name,
      text,
      (line) => (matches(`${info.name} ${line}`) ? 0 : -1),
      {},
    );
    hits.push(...lines.map(({ line, text }) => ({ place: `entry ${info.name}${owner}:${line}`, text })));
  }

  return hits;
}

/** Counts the words that a text holds, in any letters: people type what their keyboard has. */
function countWords(text: string, words: readonly string[]): number {
  const folded = foldLetters(text);
  return words.filter((word) => folded.includes(foldLetters(word))).length;
}

/** The line with most of the words; of a long one the part around the first of them. */
function cutAround(text: string, words: readonly string[]): string {
  const lines = text.split('\n').map((line) => line.trim());
  const [best = ''] = lines.toSorted((a, b) => countWords(b, words) - countWords(a, words));
  const first = words.map((word) => best.toLowerCase().indexOf(word)).find((at) => at >= 0) ?? 0;
  const from = Math.max(0, Math.min(first - SHOWN_CHARACTERS / 2, best.length - SHOWN_CHARACTERS));
  return sliceCharacters(best, from, SHOWN_CHARACTERS);
}

async function searchMemoryFiles(call: Invocation, query: string, limit: number): Promise<Hit[]> {
  const { readMemoryOptions } = await import('./memory.ts');
  const { searchSafely } = await import('../stages/quote.ts');
  const { hits } = await searchSafely({ text: query }, await readMemoryOptions(dropSession(call), limit));
  return hits.map(({ path, line, text }) => ({ place: `${path}:${line}`, text }));
}
