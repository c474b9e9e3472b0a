import { usageError } from '../base/errors.ts';
import { PAD_FILE } from '../base/fs/index.ts';
import { foldLetters, foldText } from '../base/text/strings.ts';
import { listReachable } from '../entries/reach.ts';
import { searchText } from '../entries/search.ts';
import { parseRefs } from '../pad/budget.ts';
import { ownText } from '../pad/document.ts';
import { defineCommand } from './command.ts';
import { tellElsewhere } from './entry.ts';
import { dropSession, type Invocation, readWords } from './invocation.ts';
import { listEntryPlaces, needWorkspace, type OpenPad, openKnown } from './open.ts';
import { NOTHING_FOUND } from './print.ts';

/** A line that was found, and where: `notes:3`, `SCRATCHPAD.md:12`, `entry build:120`, `handover:4`, `memory/2026-02-03.md:14`. */
interface Hit {
  place: string;
  text: string;
}

const SHOWN_CHARACTERS = 200;

export const search = defineCommand({
  takes: {
    '[words...]': 'what to look for; - for stdin',
    '-n, --limit <n>': 'at most this many lines from each source (default 10)',
  },
  examples: ['scratchpad search timezone', 'scratchpad search token expiry'],
  run: async (call, { words, limit: most = 10 }) => {
    const query = readWords(words);
    if (query === '') throw usageError('nothing to search for', { expected: 'words, or - for stdin' });

    const opened = await openKnown(call);
    const { spaces, notices, document } = await opened.pad.store.read();

    call.warn(notices);
    const { readHandover } = await import('./handover.ts');
    const view = await readHandover(dropSession(call));
    const wanted = foldText(query).split(/\s+/);
    const searchLines = (place: string, lines: readonly string[]): Hit[] =>
      lines
        .map((text, k) => ({ place: `${place}:${k + 1}`, text }))
        .filter(({ text }) => hasAllWords(text, wanted));
    const sources = {
      plan: searchLines('plan', spaces.plan.split('\n')),
      notes: searchLines('notes', spaces.notes.split('\n')),
      refs: searchLines('refs', parseRefs(spaces.refs)),
      file: ownText(document)
        .filter(({ text }) => hasAllWords(text, wanted))
        .map(({ line, text }) => ({ place: `${PAD_FILE}:${line}`, text })),
      entries: await searchEntries(opened, wanted),
      handover: searchLines(
        'handover',
        (view?.messages ?? []).map(({ text }) => text),
      ),
      memory: await searchMemoryFiles(call, query, most),
    };

    const hits = Object.entries(sources).flatMap(([source, found]) => {
      if (found.length > most) call.note(`${found.length - most} more in ${source}: --limit ${found.length}`);
      const shown = found.slice(0, most);
      return shown.map(({ place, text }) => ({
        source,
        place,
        text: text.trim().slice(0, SHOWN_CHARACTERS),
      }));
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

async function searchEntries(opened: OpenPad, words: readonly string[]): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const { place, info } of await listReachable(await listEntryPlaces(opened))) {
    const sought = words.filter((word) => !hasAllWords(info.name, [word]));
    const text = (await place.bytes(info.name)).toString();
    const { lines } = await searchText(info.name, text, (line) => (hasAllWords(line, sought) ? 0 : -1), {});
    hits.push(...lines.map(({ line, text }) => ({ place: `entry ${info.name}:${line}`, text })));
  }

  return hits;
}

/** People type what their keyboard has. */
function hasAllWords(text: string, words: readonly string[]): boolean {
  const folded = foldLetters(text);
  return words.every((word) => folded.includes(foldLetters(word)));
}

async function searchMemoryFiles(call: Invocation, query: string, limit: number): Promise<Hit[]> {
  const { readMemoryOptions } = await import('./memory.ts');
  const { searchSafely } = await import('../stages/quote.ts');
  const options = await readMemoryOptions(dropSession(call), limit);
  const { hits } = await searchSafely({ text: query }, options);
  return hits.map(({ path, line, text }) => ({ place: `${path}:${line}`, text }));
}
