import { misuse } from '../base/errors.ts';
import { refsOf } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { command } from './command.ts';
import { type Invocation, wholeNumber, withoutSession } from './invocation.ts';
import { entriesIn, needWorkspace, type Opened, openKnown } from './open.ts';
import { painter } from './terminal.ts';

const SOURCES = [...SPACE_NAMES, 'entries', 'handover', 'memory'] as const;
type Source = (typeof SOURCES)[number];

/** A line that was found, and where: `notes:3`, `entry build:120`, `handover:4`, `memory/2026-02-03.md:14`. */
interface Hit {
  place: string;
  text: string;
}

/** The exit code without a match, as of grep. */
const NOTHING_FOUND = 1;
/** How many characters of an entry's line, which may be very long, are shown. */
const SHOWN = 200;

/** Lines of the spaces, the entries and the last session's messages that contain every word, and what the memory search finds. */
export const search = command({
  about:
    "find words in the spaces, the entries, the last session's messages and the memory files; exits 1 if nothing matches",
  takes: {
    '<words...>': 'what to look for',
    '-n, --limit <n>': 'at most this many lines from each source (default 10)',
    '--in <sources>': 'only these, separated by commas: plan, notes, refs, entries, handover, memory',
  },
  examples: ['scratchpad search timezone', 'scratchpad search --in notes,memory token expiry'],
  run: async (call, { words, limit, in: named }) => {
    const query = words.join(' ').trim();
    if (query === '') throw misuse('nothing to search for', { expected: 'one or more words' });
    const most = wholeNumber(limit, '--limit', 10, { least: 1 });
    const sources = sourcesIn(named);
    const opened = await openKnown(call);
    const { spaces, notices } = await opened.pad.store.read();
    call.warn(notices);
    const wanted = query.toLowerCase().split(/\s+/);
    const hits: (Hit & { source: Source })[] = [];
    for (const source of sources) {
      const found =
        source === 'memory'
          ? await inMemory(call, query, most)
          : source === 'handover'
            ? await inHandover(call, wanted)
            : source === 'entries'
              ? await inEntries(opened, wanted)
              : inSpace(source, spaces[source], wanted);
      hits.push(...found.slice(0, most).map((hit) => ({ source, ...hit })));
      if (found.length > most) call.note(`${found.length - most} more in ${source}: --limit ${found.length}`);
    }
    if (hits.length === 0) {
      needWorkspace(opened, call, 'no match');
      call.exitCode = NOTHING_FOUND;
      call.note(`no match in ${sources.join(', ')}`);
    }
    const paint = painter(call.env);
    const lines = hits.map(({ place, text }) => `${place}: ${text}`);
    call.result({ query, hits }, lines, (line) =>
      line.replace(/^[^\n]*?:\d+(?=: )/, (place) => paint('cyan', place)),
    );
  },
});

type Words = readonly string[];

function matching(lines: readonly Hit[], words: Words): Hit[] {
  return lines
    .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
    .map(({ place, text }) => ({ place, text: text.trim() }));
}

const inShort = (hits: readonly Hit[]): Hit[] =>
  hits.map(({ place, text }) => ({ place, text: text.slice(0, SHOWN) }));

function inSpace(space: SpaceName, content: string, words: Words): Hit[] {
  const lines = space === 'refs' ? refsOf(content) : content.split('\n');
  return matching(
    lines.map((text, k) => ({ place: `${space}:${k + 1}`, text })),
    words,
  );
}

async function inEntries(opened: Opened, words: Words): Promise<Hit[]> {
  const entries = await entriesIn(opened);
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a), '');
  const pattern = longest.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const hits: Hit[] = [];
  for (const { name } of await entries.list()) {
    const { lines } = await entries.search(name, pattern, { ignoreCase: true });
    hits.push(
      ...matching(
        lines.map(({ line, text }) => ({ place: `entry ${name}:${line}`, text })),
        words,
      ),
    );
  }
  return inShort(hits);
}

/** What the person said in the last session. */
async function inHandover(call: Invocation, words: Words): Promise<Hit[]> {
  const { handoverHere } = await import('./handover.ts');
  const { messages = [] } = (await handoverHere(withoutSession(call))) ?? {};
  return inShort(
    matching(
      messages.map(({ number, text }) => ({ place: `handover:${number}`, text })),
      words,
    ),
  );
}

async function inMemory(call: Invocation, query: string, limit: number): Promise<Hit[]> {
  const { memoryOptions, redact } = await import('./memory.ts');
  const { searchMemory } = await import('../memory/search.ts');
  const options = await memoryOptions(withoutSession(call), { limit: String(limit) });
  const answer = await searchMemory({ text: query }, options);
  await redact(answer, options);
  return answer.hits.map(({ path, line, text }) => ({ place: `${path}:${line}`, text }));
}

function sourcesIn(text: string | undefined): readonly Source[] {
  if (text === undefined) return SOURCES;
  return text.split(',').map((part) => {
    const source = SOURCES.find((name) => name === part.trim());
    if (source) return source;
    throw misuse('no source of that name', { where: '--in', expected: SOURCES.join(', '), found: part });
  });
}
