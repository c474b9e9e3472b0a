import { misuse } from '../base/errors.ts';
import { PAD_FILE } from '../base/fs/index.ts';
import { foldText } from '../base/text/strings.ts';
import { reached } from '../entries/reach.ts';
import { refsOf } from '../pad/budget.ts';
import { ownText } from '../pad/document.ts';
import { command } from './command.ts';
import { tellElsewhere } from './entry.ts';
import { type Invocation, withoutSession } from './invocation.ts';
import { needWorkspace, type Opened, openKnown, placesIn } from './open.ts';

/** A line that was found, and where: `notes:3`, `SCRATCHPAD.md:12`, `entry build:120`, `handover:4`, `memory/2026-02-03.md:14`. */
interface Hit {
  place: string;
  text: string;
}

/** The exit code without a match, as of grep. */
const NOTHING_FOUND = 1;
/** How many characters of a line, which may be very long, are shown. */
const SHOWN = 200;

/** Lines of the pad, the entries and the last session's messages that contain every word, and what the memory search finds. */
export const search = command({
  takes: {
    '<words...>': 'what to look for',
    '-n, --limit <n>': 'at most this many lines from each source (default 10)',
  },
  examples: ['scratchpad search timezone', 'scratchpad search token expiry'],
  run: async (call, { words, limit: most = 10 }) => {
    const query = words.join(' ').trim();
    if (query === '') throw misuse('nothing to search for', { expected: 'one or more words' });
    const opened = await openKnown(call);
    const { spaces, notices, document } = await opened.pad.store.read();
    call.warn(notices);
    const wanted = foldText(query).split(/\s+/);
    const inLines = (place: string, lines: readonly string[]): Hit[] =>
      lines
        .map((text, k) => ({ place: `${place}:${k + 1}`, text }))
        .filter(({ text }) => holdsAll(text, wanted));
    const sources = {
      plan: inLines('plan', spaces.plan.split('\n')),
      notes: inLines('notes', spaces.notes.split('\n')),
      refs: inLines('refs', refsOf(spaces.refs)),
      file: ownText(document)
        .filter(({ text }) => holdsAll(text, wanted))
        .map(({ line, text }) => ({ place: `${PAD_FILE}:${line}`, text })),
      entries: await inEntries(opened, wanted),
      handover: inLines('handover', await messagesBefore(call)),
      memory: await inMemory(call, query, most),
    };
    const hits = Object.entries(sources).flatMap(([source, found]) => {
      if (found.length > most) call.note(`${found.length - most} more in ${source}: --limit ${found.length}`);
      const shown = found.slice(0, most);
      return shown.map(({ place, text }) => ({ source, place, text: text.trim().slice(0, SHOWN) }));
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

/** Lines of the entries that hold every word, where a word may also be one of the entry's name. */
async function inEntries(opened: Opened, words: readonly string[]): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const { place, info } of await reached(await placesIn(opened))) {
    const sought = words.filter((word) => !info.name.toLowerCase().includes(word));
    const longest = sought.reduce((a, b) => (b.length > a.length ? b : a), '');
    const pattern = longest.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') || '.';
    const { lines } = await place.search(info.name, pattern, { ignoreCase: true });
    const found = lines.filter(({ text }) => holdsAll(text, sought));
    hits.push(...found.map(({ line, text }) => ({ place: `entry ${info.name}:${line}`, text })));
  }
  return hits;
}

const holdsAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => foldText(text).includes(word));

/** What the person said in the last session. */
async function messagesBefore(call: Invocation): Promise<string[]> {
  const { handoverHere } = await import('./handover.ts');
  return ((await handoverHere(withoutSession(call)))?.messages ?? []).map(({ text }) => text);
}

async function inMemory(call: Invocation, query: string, limit: number): Promise<Hit[]> {
  const { memoryOptions } = await import('./memory.ts');
  const { searchSafely } = await import('../tools/memory.ts');
  const options = await memoryOptions(withoutSession(call), limit);
  const { hits } = await searchSafely({ text: query }, options);
  return hits.map(({ path, line, text }) => ({ place: `${path}:${line}`, text }));
}
