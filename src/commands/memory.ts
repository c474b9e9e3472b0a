import { resolve } from 'node:path';
import { misuse } from '../base/errors.ts';
import { loadConfig } from '../config/load.ts';
import { startRefresh } from '../memory/background.ts';
import { memoryPaths } from '../memory/places.ts';
import { searchMemory } from '../memory/search.ts';
import { NO_MEMORY } from '../memory/sources.ts';
import type { MemoryAnswer, MemoryOptions } from '../memory/types.ts';
import { batch, messagesOf, type Unreadable } from './batch.ts';
import { type Invocation, readStdin, type Takes, wholeNumber, workspaceOf } from './invocation.ts';

/** The exit code without a match, as of grep. */
const NOTHING_FOUND = 1;

type SearchOptions = Takes<'limit', 'explain' | 'index' | 'batch' | 'redact'>;

/** The lines of the memory that answer a question. */
export async function search(invocation: Invocation, words: string[], options: SearchOptions): Promise<void> {
  const found = await memoryOptions(invocation, options);
  if (options.batch === true) {
    return batch(invocation, requestOf, (request) => answerTo(request, found, options.redact === true));
  }
  const query = (words.length === 1 && words[0] === '-' ? readStdin() : words.join(' ')).trim();
  if (query === '') {
    throw misuse('nothing to search for', {
      expected: 'a question or words, - to read them from stdin, or --batch',
      next: 'scratchpad memory search where does the cluster config live',
    });
  }
  const answer = await searchMemory({ text: query }, found);
  if (options.redact !== false) await redact(answer, found);
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
  options: { limit?: string; index?: boolean },
): Promise<MemoryOptions> {
  const { root } = workspaceOf(invocation);
  const { config, problems } = await loadConfig(root, invocation.env);
  invocation.warn(problems);
  return {
    workspace: root,
    include: memoryPaths(config.memory, root, invocation.env),
    limit: wholeNumber(options.limit, '--limit', config.memory.results, { least: 1, most: 9999 }),
    now: invocation.now,
    index: options.index === false ? 'off' : 'auto',
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
