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
import { abbreviateSession, detectActor } from '../session/actor.ts';
import { listItems } from '../transcript/record.ts';
import { readStoredSessions } from '../transcript/store.ts';
import { defineCommand } from './command.ts';
import { tellElsewhere } from './entry.ts';
import { buildHandoverOptions } from './handover.ts';
import { dropSession, type Invocation, readWords } from './invocation.ts';
import { listEntryPlaces, needWorkspace, type OpenPad, openKnown } from './open.ts';
import { makeTimeFormatter, NOTHING_FOUND } from './print.ts';
import { tellOthers } from './spaces.ts';
import { hostSessions } from './transcript.ts';

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
    const { spaces, notices, document, seen, isWithheld } = await opened.pad.store.read();
    const open = isWithheld ? [] : (seen?.others ?? []);
    const others = open.map(({ number, content }) => ({ place: `plan ${number}`, text: content }));
    call.warn(notices);

    const refs = parseRefs(spaces.refs);
    // Where a pad is not approved, files beside it may be a stranger's, too.
    const messages = isWithheld ? [] : await listMessages(call, opened);
    const searchAll = async (matches: (text: string) => boolean) => {
      const searchLines = (place: string, lines: readonly string[]): Hit[] =>
        lines.map((text, k) => ({ place: `${place}:${k + 1}`, text })).filter(({ text }) => matches(text));
      return {
        plan: [{ place: 'plan', text: spaces.plan }, ...others].flatMap(({ place, text }) =>
          searchLines(place, text.split('\n')),
        ),
        notes: searchLines('notes', spaces.notes.split('\n')),
        refs: searchLines('refs', refs),
        file: listOwnLines(document)
          .filter(({ text }) => matches(text))
          .map(({ line, text }) => ({ place: `${PAD_FILE}:${line}`, text })),
        entries: await searchEntries(opened, matches),
        sessions: messages.filter(({ text }) => matches(text)),
      };
    };

    const wanted = foldText(query).split(/\s+/);
    let found = await searchAll((text) => countWords(text, wanted) === wanted.length);
    if (Object.values(found).every(({ length }) => length === 0)) {
      // A question has small words, and others than its answer.
      const content = wanted
        .map((word) => word.replace(/[?!.,;:]+$/, ''))
        .filter((word) => !STOPWORDS.has(word));
      const least = Math.ceil((content.length * 2) / 3);
      if (least > 0) found = await searchAll((text) => countWords(text, content) >= least);
    }

    if (found.plan.some(({ place }) => place.startsWith('plan '))) tellOthers(call, seen);
    const sources = { ...found, memory: await searchMemoryFiles(call, query, most) };
    const hits = Object.entries(sources).flatMap(([source, all]) => {
      if (all.length > most) call.note(`${all.length - most} more in ${source}: --limit ${all.length}`);
      return all.slice(0, most).map(({ place, text }) => ({ source, place, text: cutAround(text, wanted) }));
    });

    if (hits.length === 0) {
      needWorkspace(opened, call, 'no match');
      tellElsewhere(call, opened);
      call.exitCode = NOTHING_FOUND;
      call.note(`no match in ${Object.keys(sources).join(', ')}`);
    }

    const lines = hits.map(({ place, text }) => `${place}: ${text}`);
    call.result({ query, hits }, lines);
  },
});

/** The messages of the last sessions here, the newest first; not of the session that asks, which has them. */
async function listMessages(call: Invocation, opened: OpenPad): Promise<Hit[]> {
  const { root } = opened.workspace;
  // Where each session ran says its own file.
  const options = { ...buildHandoverOptions(dropSession(call), opened), cwd: undefined };
  const files = await hostSessions(call, opened, MOST_SESSIONS);
  const read = await Promise.all(
    files.map(({ id, path }) => ownSession({ ...options, session: id, transcript: path })),
  );
  const known = new Set(files.map(({ id }) => id));
  const stored = readStoredSessions(root).filter(({ session }) => !known.has(session));
  // A file that was read by its path alone is stored under that.
  const named = [...files, ...stored.filter(({ session, path }) => session !== path)].map(({ path }) => path);
  const { session: asking } = detectActor(call.env);
  const local = makeTimeFormatter(opened.config);

  return [...read, ...stored].flatMap((session) => {
    if (session === undefined || session.session === asking || named.includes(session.session)) return [];

    const items = listItems(session.record).filter(({ id }) => !session.forgotten.includes(id));
    return items.toReversed().flatMap((item) => {
      if (item.type !== 'person' && item.type !== 'agent' && item.type !== 'plan') return [];

      const facts = [item.type === 'agent' ? 'agent' : 'person', item.timestamp && local(item.timestamp)];
      const place = `session ${abbreviateSession(parse(session.session).name)} (${facts.filter(Boolean).join(', ')})`;
      return { place, text: redactSecrets(item.text) };
    });
  });
}

async function searchEntries(opened: OpenPad, matches: (text: string) => boolean): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const { place, info } of await listReachable(await listEntryPlaces(opened))) {
    // A larger file is not what was stored, and would take minutes.
    const text = (await place.bytes(info.name)).subarray(0, MOST_BYTES).toString();
    const { lines } = await searchText(
      info.name,
      text,
      (line) => (matches(`${info.name} ${line}`) ? 0 : -1),
      {},
    );
    hits.push(...lines.map(({ line, text }) => ({ place: `entry ${info.name}:${line}`, text })));
  }

  return hits;
}

/** How many of the words a text holds. People type what their keyboard has. */
function countWords(text: string, words: readonly string[]): number {
  const folded = foldLetters(text);
  return words.filter((word) => folded.includes(foldLetters(word))).length;
}

/** The line of a text with most of the words, and of a long line the part around the first of them. */
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
  const options = await readMemoryOptions(dropSession(call), limit);
  const { hits } = await searchSafely({ text: query }, options);
  return hits.map(({ path, line, text }) => ({ place: `${path}:${line}`, text }));
}
