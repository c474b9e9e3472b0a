import { usageError } from '../base/errors.ts';
import { loadConfig } from '../config/load.ts';
import { isForeignFolder, MEMORY_WITHHELD } from '../core/hide-untrusted.ts';
import { startRefresh } from '../memory/background.ts';
import { listMemoryPaths } from '../memory/places.ts';
import { describeSearched, listSearchedPlaces, NO_MEMORY } from '../memory/sources.ts';
import type { MemoryOptions } from '../memory/types.ts';
import { indexStatus, refreshIndex, updateIndex } from '../memory/update.ts';
import type { VectorUpdate } from '../memory/vectors.ts';
import { detectHost } from '../session/actor.ts';
import { searchSafely } from '../stages/quote.ts';
import { answerBatch, BATCH, type Fields, parseMessages } from './batch.ts';
import { type CommandDefinition, defineCommand } from './command.ts';
import { type Invocation, type Lines, readWords, resolveWorkspace } from './invocation.ts';
import { openSession } from './open.ts';
import { NOTHING_FOUND, renderRow } from './print.ts';

const search = defineCommand({
  about: 'print the lines that answer a question, best first',
  takes: {
    '[query...]': 'what to look for; - for stdin',
    '-n, --limit <n>': 'at most this many lines',
    ...BATCH,
  },
  examples: ['scratchpad memory search where does the cluster config live'],
  run: async (call, { query: words, limit, batch: isBatch }) => {
    const options = await readMemoryOptions(call, limit);
    if (isBatch) return answerBatch(call, (request) => answerRequest(request, options));

    const query = readWords(words);
    if (query === '')
      throw usageError('nothing to search for', {
        expected: 'a question or words, - to read them from stdin, or --batch',
        next: 'scratchpad memory search where does the cluster config live',
      });

    const answer = await searchSafely({ text: query }, options);
    if (answer.meaning?.problem !== undefined) call.note(`by words only: ${answer.meaning.problem}`);

    if (answer.hits.length === 0) {
      call.exitCode = NOTHING_FOUND;
      const where = `${answer.passages} passages from ${answer.files} files`;
      call.note(answer.files === 0 ? `no memory to search: ${NO_MEMORY}` : `nothing relevant in ${where}`);
    }

    const places = answer.hits.map(
      ({ path, line, text, newer, fileDate }) =>
        `${path}:${line}: ${text}${fileDate === undefined ? '' : ` (${fileDate})`}${newer === undefined ? '' : ` (older; see ${newer.path}:${newer.line})`}`,
    );
    call.print({ query, ...answer }, places);
  },
});

export async function readMemoryOptions(call: Invocation, limit?: number): Promise<MemoryOptions> {
  const { root } = resolveWorkspace(call);
  const { config, problems } = await loadConfig(root, call.env);
  call.warn(problems, 'always');
  // An agent's commands feed a model.
  const isForeign = detectHost(call.env) !== undefined && isForeignFolder({ root, env: call.env });
  if (isForeign) call.note(MEMORY_WITHHELD);

  return {
    workspace: root,
    include: listMemoryPaths(config.memory, root, call.env),
    isForeign,
    limit: limit ?? config.memory.results,
    now: call.now,
    background: () => startRefresh(root),
    embeddings: config.memory.embeddings,
  };
}

/** The answer of `--batch`: `{"results": [{path, line, startLine, endLine, score, text}]}`. */
async function answerRequest({ query, messages, limit }: Fields, options: MemoryOptions): Promise<object> {
  if (query !== undefined && typeof query !== 'string') throw usageError('query is not a string');
  if (messages !== undefined && !Array.isArray(messages)) throw usageError('messages is not a list');
  if (query === undefined && messages === undefined) throw usageError('neither query nor messages');
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) > 0))
    throw usageError('limit is not a positive number');

  const most = limit === undefined ? options.limit : Number(limit);
  const question = { text: query, messages: messages && parseMessages(messages) };
  const { hits } = await searchSafely(question, { ...options, limit: most });
  const results = hits.map(({ path, line, startLine, endLine, score, text }) => {
    return { path, line, startLine, endLine, score, text };
  });

  return { results };
}

const index = defineCommand({
  about: 'rebuild the index; searches do so on their own when needed',
  takes: { '--changed': 'only bring the index up to date' },
  run: async (call, { changed }) => {
    (await openSession(call)).assertCanCreate();
    const options = await readMemoryOptions(call);
    if (changed) {
      await refreshIndex(options);
      const { vectors, line } = await updateVectors(call, options);
      return call.report({ ...indexStatus(options), vectors }, ['the index is up to date', line]);
    }

    const { scanned, saved } = await updateIndex(options);
    const { vectors, line } = await updateVectors(call, options);
    const { files, passages } = scanned.segment;
    const leftOut = [...scanned.leftOut].map(([reason, count]) => ({ reason, count }));

    if (!saved && passages > 0)
      call.note('the index was not written: another process is writing it, or the folder is not writable');
    const value = { files, passages, leftOut, saved, vectors };
    call.report(value, [`${passages} passages from ${files} files`, renderLeftOut(leftOut), line]);
  },
});

async function updateVectors(
  call: Invocation,
  { workspace, include, embeddings }: MemoryOptions,
): Promise<{ vectors?: VectorUpdate; line?: string }> {
  if (embeddings === undefined || embeddings.provider === 'off') return {};

  const { updateVectors } = await import('../memory/vectors.ts');
  const vectors = await updateVectors({ workspace, embeddings, env: call.env, include });

  if (vectors === undefined) {
    call.note('vectors: another process is making them');
    return {};
  }

  const { embedded, missing, sent, problem } = vectors;
  if (problem !== undefined) call.note(`vectors: ${problem}`);
  const lacking = missing === 0 ? '' : `, ${missing} without`;

  return { vectors, line: `vectors: ${embedded} passages (${sent} sent now)${lacking}` };
}

const renderFact = (name: string, text: string): Lines => renderRow(name, text, 10);

const status = defineCommand({
  about: 'show what is searched, what is left out and why, and whether the index is intact',
  isDefault: true,
  run: async (call) => {
    const options = await readMemoryOptions(call);
    const { workspace, include, embeddings } = options;
    const indexState = indexStatus(options);
    const searched = listSearchedPlaces(workspace, include);
    const off = embeddings === undefined || embeddings.provider === 'off';
    const { readVectorStatus } = await import('../memory/vectors.ts');
    const vectors = off ? undefined : readVectorStatus({ workspace, embeddings, include });
    const renderReason = (problem?: string): string => (problem === undefined ? '' : ` (${problem})`);
    call.print({ searched, ...indexState, vectors }, [
      renderFact('searched', describeSearched(searched)),
      renderFact('index', indexState.state + renderReason(indexState.problem)),
      renderFact('files', String(indexState.files)),
      renderFact('passages', String(indexState.passages)),
      indexState.state !== 'none' && renderFact('size', `${indexState.bytes} bytes`),
      renderLeftOut(indexState.leftOut),
      vectors && renderFact('vectors', `${vectors.rows} passages${renderReason(vectors.problem)}`),
      indexState.state !== 'sound'
        ? renderFact('next', 'the next search builds it, or: scratchpad memory index')
        : vectors?.rows === 0 && renderFact('next', 'scratchpad memory index'),
    ]);
  },
});

export const memory: CommandDefinition = {
  examples: ['scratchpad memory search where does the cluster config live', 'scratchpad memory status'],
  verbs: { search, index, status },
};

const renderLeftOut = (leftOut: readonly { reason: string; count: number }[]): Lines =>
  leftOut.map(({ reason, count }) => renderFact('left out', `${count} ${reason}`));
