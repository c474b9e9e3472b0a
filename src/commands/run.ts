import { FileEntries } from '../entries/file-entries.ts';
import { runCommand } from '../entries/run.ts';
import { PREVIEW, SPILL_LIMIT } from '../entries/spill.ts';
import { type Invocation, write } from './invocation.ts';
import { wholeNumber } from './numbers.ts';
import { openSession } from './open.ts';

export interface RunOptions {
  scratchpad?: string;
  limit?: string;
  preview?: string;
}

/**
 * Runs a command; its exit code is the command's own. Its output, both streams in their order, goes to stdout
 * as it comes, or its preview does and the whole is kept as an entry. Shape with `--json`, which shows nothing
 * before the end: `{exitCode, signal, bytes, characters, entry, output}`.
 */
export async function run(invocation: Invocation, command: string[], options: RunOptions): Promise<void> {
  const limit = wholeNumber(options.limit, '--limit', SPILL_LIMIT);
  const preview = wholeNumber(options.preview, '--preview', PREVIEW);
  const { store, pad, mayMake } = await openSession(invocation);
  mayMake();
  const entries = new FileEntries(store.paths, () => pad.now(), mayMake);
  const { json } = invocation.options;
  const shown: Buffer[] = [];
  const done = await runCommand(entries, {
    command: command as [string, ...string[]],
    cwd: invocation.cwd,
    env: invocation.env,
    limit,
    preview,
    ...(options.scratchpad === undefined ? {} : { name: options.scratchpad }),
    show: (bytes) => {
      if (json) shown.push(Buffer.from(bytes));
      else write(1, bytes);
    },
    terminal: process.stdin.isTTY ?? false,
  });
  const { entry, endless, emptied, ...outcome } = done;
  if (endless) invocation.note('the command was ended: its output would have filled the disk');
  if (emptied) invocation.note('the command emptied its own output: what it had written before is lost');
  if (entry && done.characters !== null && done.characters <= limit) invocation.note(`kept as ${entry.name}`);
  if (outcome.signal !== null) invocation.note(`the command was ended by ${outcome.signal}`);
  if (json) invocation.result({ ...outcome, entry, output: Buffer.concat(shown).toString() }, '');
  invocation.exitCode = outcome.exitCode;
}
