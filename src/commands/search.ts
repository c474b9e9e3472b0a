import { misuse } from '../base/errors.ts';
import { refsOf } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { type Invocation, type Takes, wholeNumber, withoutSession } from './invocation.ts';
import { needSession, needWorkspace, type Opened, openSession } from './open.ts';
import { painter } from './terminal.ts';

const SOURCES = [...SPACE_NAMES, 'entries', 'handover', 'memory'] as const;
type Source = (typeof SOURCES)[number];

/** A line that was found. */
export interface Hit {
  source: Source;
  /** Where to find it: `notes:3`, `entry build:120`, `handover:4`, `memory/2026-02-03.md:14`. */
  place: string;
  text: string;
}

type SearchOptions = Takes<'limit' | 'in'>;

/** The exit code without a match, as of grep. */
const NOTHING_FOUND = 1;
/** How many characters of an entry's line, which may be very long, are shown. */
const SHOWN = 200;

/**
 * Searches everything the scratchpad holds: lines of the spaces, the entries and the last session's messages that contain every word,
 * and results of the memory search.
 */
export async function search(invocation: Invocation, words: string[], options: SearchOptions): Promise<void> {
  const query = words.join(' ').trim();
  if (query === '') throw misuse('nothing to search for', { expected: 'one or more words' });
  const limit = wholeNumber(options.limit, '--limit', 10, { least: 1 });
  const sources = sourcesIn(options.in);
  const opened = await openSession(invocation);
  await needSession(opened);
  const wanted = query.toLowerCase().split(/\s+/);
  const matches = (text: string): boolean => wanted.every((word) => text.toLowerCase().includes(word));

  const hits: Hit[] = [];
  const { spaces, notices } = await opened.pad.store.read();
  invocation.warn(notices);
  for (const source of sources) {
    const found =
      source === 'entries'
        ? await inEntries(opened, wanted, matches)
        : source === 'handover'
          ? await inHandover(invocation, matches)
          : source === 'memory'
            ? await inMemory(invocation, query, limit)
            : inSpace(source, spaces[source], matches);
    hits.push(...found.slice(0, limit));
    if (found.length > limit)
      invocation.note(`${found.length - limit} more in ${source}: --limit ${found.length}`);
  }
  if (hits.length === 0) {
    needWorkspace(opened, invocation, 'no match');
    invocation.exitCode = NOTHING_FOUND;
    invocation.note(`no match in ${sources.join(', ')}`);
  }
  const paint = painter(invocation.env);
  invocation.result({ query, hits }, hits.map(({ place, text }) => `${place}: ${text}`).join('\n'), (line) =>
    line.replace(/^[^\n]*?:\d+(?=: )/, (place) => paint('cyan', place)),
  );
}

function inSpace(space: SpaceName, content: string, matches: (text: string) => boolean): Hit[] {
  const lines = space === 'refs' ? refsOf(content) : content.split('\n');
  return lines.flatMap((text, k) =>
    matches(text) ? [{ source: space, place: `${space}:${k + 1}`, text: text.trim() }] : [],
  );
}

async function inEntries(
  { store, pad }: Opened,
  words: readonly string[],
  matches: (text: string) => boolean,
): Promise<Hit[]> {
  const { FileEntries } = await import('../entries/file-entries.ts');
  const entries = new FileEntries(store.paths, () => pad.now());
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a), '');
  const pattern = longest.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const hits: Hit[] = [];
  for (const { name } of await entries.list()) {
    const { lines } = await entries.search(name, pattern, { ignoreCase: true });
    for (const { line, text } of lines)
      if (matches(text))
        hits.push({ source: 'entries', place: `entry ${name}:${line}`, text: text.trim().slice(0, SHOWN) });
  }
  return hits;
}

/** What the person said in the last session. */
async function inHandover(invocation: Invocation, matches: (text: string) => boolean): Promise<Hit[]> {
  const { handoverHere } = await import('./handover.ts');
  const { messages = [] } = (await handoverHere(withoutSession(invocation))) ?? {};
  return messages.flatMap(({ number, text }) =>
    matches(text)
      ? [{ source: 'handover' as const, place: `handover:${number}`, text: text.slice(0, SHOWN) }]
      : [],
  );
}

async function inMemory(invocation: Invocation, query: string, limit: number): Promise<Hit[]> {
  const { memoryOptions, redact } = await import('./memory.ts');
  const { searchMemory } = await import('../memory/search.ts');
  const options = await memoryOptions(withoutSession(invocation), { limit: String(limit) });
  const answer = await searchMemory({ text: query }, options);
  await redact(answer, options);
  return answer.hits.map(({ path, line, text }) => ({ source: 'memory', place: `${path}:${line}`, text }));
}

/** @throws ScratchpadError `usage` if no source has that name */
function sourcesIn(text: string | undefined): readonly Source[] {
  if (text === undefined) return SOURCES;
  return text.split(',').map((part) => {
    const source = SOURCES.find((name) => name === part.trim());
    if (source) return source;
    throw misuse('no source of that name', { where: '--in', expected: SOURCES.join(', '), found: part });
  });
}
