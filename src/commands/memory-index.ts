import { indexStatus } from '../memory/status.ts';
import { refreshIndex, updateIndex } from '../memory/update.ts';
import type { Invocation } from './invocation.ts';
import { write } from './invocation.ts';
import { memoryOptions } from './memory.ts';

/** Makes the index anew. Shape with `--json`: `{files, passages, leftOut, saved}`; with `--changed`: `{changed}`. */
export async function index(invocation: Invocation, options: { changed?: boolean }): Promise<void> {
  const found = await memoryOptions(invocation, {});
  if (options.changed === true) {
    await refreshIndex(found);
    invocation.result({ ...indexStatus(found) }, 'the index is up to date');
    return;
  }
  const progress = progressOf(invocation);
  const { scanned, saved } = await updateIndex({ ...found, ...(progress && { onFile: progress }) });
  if (progress !== undefined) write(2, '\r\u001b[K');
  const { files, passages } = scanned.segment;
  const leftOut = [...scanned.leftOut].map(([reason, count]) => ({ reason, count }));
  if (!saved && passages > 0)
    invocation.note(
      'the index was not written: another process writes it, or the folder cannot be written to',
    );
  invocation.result(
    { files, passages, leftOut, saved },
    [`${passages} passages of ${files} files`, ...leftOutLines(leftOut)].join('\n'),
  );
}

/** What is searched, and the state of the index. Shape with `--json`: see `IndexStatus`. */
export async function status(invocation: Invocation): Promise<void> {
  const found = indexStatus(await memoryOptions(invocation, {}));
  const lines = [
    `index:    ${found.state}${found.problem === undefined ? '' : ` (${found.problem})`}`,
    `files:    ${found.files}`,
    `passages: ${found.passages}`,
    ...(found.state === 'none'
      ? []
      : [`size:     ${found.bytes} bytes, ${found.changedFiles} files in the delta`]),
    ...(found.checked === undefined ? [] : [`compared: ${found.checked}`]),
    ...leftOutLines(found.leftOut),
  ];
  if (found.state !== 'sound') lines.push('next:     the next search makes it, or: scratchpad memory index');
  invocation.result(found, lines.join('\n'));
}

function leftOutLines(leftOut: readonly { reason: string; count: number }[]): string[] {
  return leftOut.map(({ reason, count }) => `left out: ${count} ${reason}`);
}

/** A line on stderr that counts files, on a terminal only. */
function progressOf({ options }: Invocation): ((done: number, total: number) => void) | undefined {
  if (options.quiet === true || process.stderr.isTTY !== true) return undefined;
  let shownAt = 0;
  return (done, total) => {
    const now = Date.now();
    if (now - shownAt < 100) return;
    shownAt = now;
    write(2, `\r\u001b[Kreading ${done} of ${total} files`);
  };
}
