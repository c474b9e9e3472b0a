import { resolve } from 'node:path';
import { misuse } from '../base/errors.ts';
import { loadConfig } from '../config/load.ts';
import { startRefresh } from '../memory/background.ts';
import { memoryPaths } from '../memory/places.ts';
import { searchMemory } from '../memory/search.ts';
import { NO_MEMORY, searchedPlaces, spellSearched } from '../memory/sources.ts';
import type { MemoryAnswer, MemoryOptions } from '../memory/types.ts';
import { indexStatus, refreshIndex, updateIndex } from '../memory/update.ts';
import type { VectorStatus, VectorUpdate } from '../memory/vectors.ts';
import { hostOf } from '../session/actor.ts';
import { batch, messagesOf, type Unreadable } from './batch.ts';
import {
  forPeople,
  type Invocation,
  readStdin,
  type Takes,
  wholeNumber,
  workspaceOf,
  write,
} from './invocation.ts';
import { openSession } from './open.ts';

/** The exit code without a match, as of grep. */
const NOTHING_FOUND = 1;

type SearchOptions = Takes<'limit', 'explain' | 'batch' | 'redact'>;

/** The lines of the memory that answer a question. */
export async function search(invocation: Invocation, words: string[], options: SearchOptions): Promise<void> {
  const found = await memoryOptions(invocation, options);
  if (options.batch === true) {
    // What an agent runs is text for a model.
    const redacted = options.redact === true || hostOf(invocation.env) !== undefined;
    return batch(invocation, requestOf, (request) => answerTo(request, found, redacted));
  }
  const query = (words.length === 1 && words[0] === '-' ? readStdin() : words.join(' ')).trim();
  if (query === '') {
    throw misuse('nothing to search for', {
      expected: 'a question or words, - to read them from stdin, or --batch',
      next: 'scratchpad memory search where does the cluster config live',
    });
  }
  const answer = await searchMemory({ text: query }, found);
  if (options.redact === false) forPeople(invocation, '--no-redact');
  else await redact(answer, found);
  if (answer.meaning?.problem !== undefined) invocation.note(`by words only: ${answer.meaning.problem}`);
  if (answer.hits.length === 0) {
    invocation.exitCode = NOTHING_FOUND;
    const where = `${answer.passages} passages from ${answer.files} files`;
    invocation.note(
      answer.files === 0 ? `no memory to search: ${NO_MEMORY}` : `nothing relevant in ${where}`,
    );
  }
  invocation.result({ query, ...answer }, shown(answer, options.explain === true));
}

/** Options of `searchMemory`, from the command line and the configuration. */
export async function memoryOptions(
  invocation: Invocation,
  options: { limit?: string },
): Promise<MemoryOptions> {
  const { root } = workspaceOf(invocation);
  const { config, problems } = await loadConfig(root, invocation.env);
  invocation.warn(problems);
  return {
    workspace: root,
    include: memoryPaths(config.memory, root, invocation.env),
    limit: wholeNumber(options.limit, '--limit', config.memory.results, { least: 1, most: 9999 }),
    now: invocation.now,
    background: () => startRefresh(root),
    embeddings: config.memory.embeddings,
  };
}

/**
 * Removes secrets and personal data from the output, because an agent's searches reach a model. It takes a sixth of
 * a cold search. Answers of `--batch` are for programs and redacted on request.
 */
export async function redact(
  { hits }: MemoryAnswer,
  { workspace, include = [] }: MemoryOptions,
): Promise<void> {
  if (hits.length === 0) return;
  const { linesOfFile, quoted, redactedFrom } = await import('../stages/quote.ts');
  const { defuse } = await import('../base/safety/index.ts');
  const roots = include.map((extra) => resolve(workspace, extra));
  for (const hit of hits) {
    const lines = linesOfFile(workspace, hit.path, roots);
    hit.text = defuse(redactedFrom(lines, hit.startLine, hit.endLine, hit.text));
    hit.headings = hit.headings.map((heading) => quoted(heading, heading.length));
  }
}

function shown({ hits }: MemoryAnswer, explain: boolean): string {
  return hits
    .map(({ path, line, text, score, why, headings }) => {
      if (!explain) return `${path}:${line}: ${text}`;
      const parts = why.map(({ term, score: part }) => `${term} ${part.toFixed(2)}`).join(', ');
      const under = headings.length === 0 ? '' : `\n    under ${headings.join(' > ')}`;
      return `${path}:${line}: ${text}\n    score ${score.toFixed(2)}: ${parts}${under}`;
    })
    .join('\n');
}

/**
 * The answer of `--batch` to `{"query"}` or `{"messages"}`, with an optional `limit`: `{"results": [{path, line,
 * startLine, endLine, score, text}]}`.
 */
async function answerTo(
  { query, limit }: Request,
  options: MemoryOptions,
  redacted: boolean,
): Promise<object> {
  const answer = await searchMemory(query, { ...options, ...limit });
  if (redacted) await redact(answer, options);
  const results = answer.hits.map(({ path, line, startLine, endLine, score, text }) => {
    return { path, line, startLine, endLine, score, text };
  });
  return { results };
}

interface Request {
  query: Parameters<typeof searchMemory>[0];
  limit: { limit?: number };
}

function requestOf({ query, messages, limit }: Readonly<Record<string, unknown>>): Request | Unreadable {
  if (query !== undefined && typeof query !== 'string') return { error: 'query is not a string' };
  if (messages !== undefined && !Array.isArray(messages)) return { error: 'messages is not a list' };
  if (query === undefined && messages === undefined) return { error: 'neither query nor messages' };
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) > 0))
    return { error: 'limit is not a positive number' };
  return {
    query: { text: query, messages: messages && messagesOf(messages) },
    limit: limit === undefined ? {} : { limit: Number(limit) },
  };
}

/** Rebuilds the index, then adds missing vectors if embeddings are on. */
export async function index(invocation: Invocation, options: { changed?: boolean }): Promise<void> {
  (await openSession(invocation)).mayMake();
  const found = await memoryOptions(invocation, {});
  if (options.changed === true) {
    await refreshIndex(found);
    const vectors = await embed(invocation, found);
    invocation.done(
      { ...indexStatus(found), ...vectors.json },
      ['the index is up to date', ...vectors.lines].join('\n'),
    );
    return;
  }
  const progress = progressOf(invocation, (done, total) => `reading ${done} of ${total} files`);
  const { scanned, saved } = await updateIndex({ ...found, onFile: progress });
  if (progress !== undefined) write(2, CLEAR_LINE);
  const vectors = await embed(invocation, found);
  const { files, passages } = scanned.built.segment;
  const leftOut = [...scanned.leftOut].map(([reason, count]) => ({ reason, count }));
  if (!saved && passages > 0)
    invocation.note(
      'the index was not written: another process is writing it, or the folder is not writable',
    );
  invocation.done(
    { files, passages, leftOut, saved, ...vectors.json },
    [`${passages} passages from ${files} files`, ...leftOutLines(leftOut), ...vectors.lines].join('\n'),
  );
}

/** Requests missing vectors; does nothing if embeddings are off. */
async function embed(
  invocation: Invocation,
  { workspace, include, embeddings }: MemoryOptions,
): Promise<{ json: { vectors?: VectorUpdate }; lines: string[] }> {
  if (embeddings === undefined || embeddings.provider === 'off') return { json: {}, lines: [] };
  const { updateVectors } = await import('../memory/vectors.ts');
  const onProgress = progressOf(invocation, (done, total) => `sending ${done} of ${total} passages`);
  const vectors = await updateVectors({
    workspace,
    embeddings,
    env: invocation.env,
    include,
    onProgress,
  });
  if (onProgress !== undefined) write(2, CLEAR_LINE);
  if (vectors === undefined) {
    invocation.note('vectors: another process is making them');
    return { json: {}, lines: [] };
  }
  const { embedded, missing, sent, problem } = vectors;
  if (problem !== undefined) invocation.note(`vectors: ${problem}`);
  const lacking = missing === 0 ? '' : `, ${missing} without`;
  return { json: { vectors }, lines: [`vectors: ${embedded} passages (${sent} sent now)${lacking}`] };
}

/** What is searched, and the state of the index. */
export async function status(invocation: Invocation): Promise<void> {
  const options = await memoryOptions(invocation, {});
  const found = indexStatus(options);
  const searched = searchedPlaces(options.workspace, options.include);
  const vectors = await vectorsOf(options);
  const lines = [
    `searched: ${spellSearched(searched)}`,
    `index:    ${found.state}${found.problem === undefined ? '' : ` (${found.problem})`}`,
    `files:    ${found.files}`,
    `passages: ${found.passages}`,
    ...(found.state === 'none'
      ? []
      : [`size:     ${found.bytes} bytes, ${found.changedFiles} files changed since`]),
    ...(found.checked === undefined ? [] : [`compared: ${found.checked}`]),
    ...leftOutLines(found.leftOut),
  ];
  if (vectors !== undefined) {
    const { state, rows, bytes, problem } = vectors;
    const size = state === 'none' ? '' : `, ${rows} passages, ${bytes} bytes`;
    lines.push(`vectors:  ${state}${size}${problem === undefined ? '' : ` (${problem})`}`);
  }
  if (found.state !== 'sound') lines.push('next:     the next search builds it, or: scratchpad memory index');
  else if (vectors !== undefined && vectors.state !== 'sound')
    lines.push('next:     scratchpad memory index');
  invocation.result({ searched, ...found, vectors }, lines.join('\n'));
}

async function vectorsOf({
  workspace,
  include,
  embeddings,
}: MemoryOptions): Promise<VectorStatus | undefined> {
  if (embeddings === undefined || embeddings.provider === 'off') return undefined;
  const { vectorStatus } = await import('../memory/vectors.ts');
  return vectorStatus({ workspace, embeddings, include });
}

function leftOutLines(leftOut: readonly { reason: string; count: number }[]): string[] {
  return leftOut.map(({ reason, count }) => `left out: ${count} ${reason}`);
}

const CLEAR_LINE = '\r\u001b[K';

/** A progress line on stderr, on a terminal only. */
function progressOf(
  { options }: Invocation,
  spell: (done: number, total: number) => string,
): ((done: number, total: number) => void) | undefined {
  if (options.quiet === true || process.stderr.isTTY !== true) return undefined;
  let shownAt = 0;
  return (done, total) => {
    const now = Date.now();
    if (now - shownAt < 100) return;
    shownAt = now;
    write(2, `${CLEAR_LINE}${spell(done, total)}`);
  };
}
