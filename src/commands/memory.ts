import { ScratchpadError } from '../errors.ts';
import { startRefresh } from '../memory/background.ts';
import { type MemoryAnswer, type MemoryOptions, searchMemory } from '../memory/search.ts';
import { forTerminal } from '../safety/terminal.ts';
import { findWorkspace } from '../session/workspace.ts';
import type { Message } from '../transcript/message.ts';
import { type Invocation, readStdin, write } from './invocation.ts';

export interface SearchOptions {
  limit?: string;
  explain?: boolean;
  index: boolean;
  batch?: boolean;
}

/**
 * The lines of the memory that matter for a question. Shape with `--json`: `{query, hits: [{path, line,
 * startLine, endLine, score, text, headings, why}], source, files, passages, leftOut}`.
 */
export async function search(invocation: Invocation, words: string[], options: SearchOptions): Promise<void> {
  const found = await memoryOptions(invocation, options);
  if (options.batch === true) return batch(invocation, found);
  const query = (words.length === 1 && words[0] === '-' ? readStdin() : words.join(' ')).trim();
  if (query === '') {
    throw new ScratchpadError('usage', 'nothing to look for', {
      expected: 'a question or some words, - to read them from stdin, or --batch',
      next: 'scratchpad memory search where does the cluster config live',
    });
  }
  const answer = await searchMemory({ text: query }, found);
  if (answer.hits.length === 0) {
    invocation.note(`nothing relevant in ${answer.passages} passages of ${answer.files} files`);
  }
  invocation.result({ query, ...answer }, forTerminal(shown(answer, options.explain === true)));
}

/** What `searchMemory` is to be told, from the command line and the configuration. */
export async function memoryOptions(
  invocation: Invocation,
  options: { limit?: string; index?: boolean },
): Promise<MemoryOptions> {
  const { root } = findWorkspace(invocation.options.workspace, invocation.env, invocation.cwd);
  const { loadConfig } = await import('../config/load.ts');
  const { config, problems } = await loadConfig(root, invocation.env);
  for (const problem of problems) invocation.note(`warning: ${problem}`);
  return {
    workspace: root,
    include: config.memory.paths,
    limit: options.limit === undefined ? config.memory.results : count(options.limit),
    now: invocation.now,
    index: options.index === false ? 'off' : 'auto',
    background: () => startRefresh(root),
  };
}

function shown({ hits }: MemoryAnswer, explain: boolean): string {
  return hits
    .map(({ path, line, text, score, why, headings }) => {
      if (!explain) return `${path}:${line}: ${text}`;
      const parts = why.map((each) => `${each.term} ${each.score.toFixed(2)}`).join(', ');
      const under = headings.length === 0 ? '' : `\n    under ${headings.join(' > ')}`;
      return `${path}:${line}: ${text}\n    ${score.toFixed(2)} = ${parts}${under}`;
    })
    .join('\n');
}

/**
 * Answers requests from stdin in order: `{"id", "query"}` or `{"id", "messages"}`, with `limit` where it
 * differs, gives `{"id", "results": [{path, line, startLine, endLine, score, text}]}`. A request that cannot
 * be read gives `{"id", "error"}`, and the exit code is 2 in the end.
 */
async function batch(invocation: Invocation, options: MemoryOptions): Promise<void> {
  for (const line of readStdin().split('\n')) {
    if (line.trim() === '') continue;
    const request = requestOf(line);
    if ('error' in request) {
      invocation.exitCode = 2;
      write(1, `${JSON.stringify(request)}\n`);
      continue;
    }
    const { hits } = await searchMemory(request.query, { ...options, ...request.limit });
    const results = hits.map(({ path, line: at, startLine, endLine, score, text }) => {
      return { path, line: at, startLine, endLine, score, text };
    });
    write(1, `${JSON.stringify({ id: request.id, results })}\n`);
  }
}

type Request =
  | { id: unknown; query: Parameters<typeof searchMemory>[0]; limit: { limit?: number } }
  | { id: unknown; error: string };

function requestOf(line: string): Request {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: null, error: 'not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { id: null, error: 'not an object' };
  const { id = null, query, messages, limit } = value as Record<string, unknown>;
  if (query !== undefined && typeof query !== 'string') return { id, error: 'query is not a text' };
  if (messages !== undefined && !Array.isArray(messages)) return { id, error: 'messages is not a list' };
  if (query === undefined && messages === undefined) return { id, error: 'neither query nor messages' };
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) > 0))
    return { id, error: 'limit is not a number from 1 on' };
  return {
    id,
    query: {
      ...(query !== undefined && { text: query }),
      ...(messages !== undefined && { messages: messages.flatMap(messageOf) }),
    },
    limit: limit === undefined ? {} : { limit: Number(limit) },
  };
}

/** A message as a text or as an object with at least `content`; whose words they are is the user's unless told. */
function messageOf(value: unknown, at: number): Message[] {
  if (typeof value === 'string') return [{ id: String(at), role: 'user', content: value, session: '' }];
  if (typeof value !== 'object' || value === null) return [];
  const { role, content, text } = value as Record<string, unknown>;
  const words = typeof content === 'string' ? content : text;
  if (typeof words !== 'string') return [];
  const known = role === 'assistant' || role === 'tool' || role === 'system' ? role : 'user';
  return [{ id: String(at), role: known, content: words, session: '' }];
}

function count(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new ScratchpadError('usage', '--limit is not a number of lines', {
    expected: 'a number from 1 to 9999',
    found: text,
  });
}
