import type { VectorStatus, VectorUpdate } from '../memory/embeddings/vectors.ts';
import { searchedPlaces, spellSearched } from '../memory/sources.ts';
import type { MemoryOptions } from '../memory/types.ts';
import { indexStatus, refreshIndex, updateIndex } from '../memory/update.ts';
import { type Invocation, write } from './invocation.ts';
import { memoryOptions } from './memory.ts';
import { openSession } from './open.ts';

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
  const { updateVectors } = await import('../memory/embeddings/vectors.ts');
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
  const { vectorStatus } = await import('../memory/embeddings/vectors.ts');
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
