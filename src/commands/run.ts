import { runCommand } from '../entries/run.ts';
import { PREVIEW, SPILL_LIMIT } from '../entries/spill.ts';
import { type Invocation, type Takes, wholeNumber, write } from './invocation.ts';
import { entriesIn, openSession } from './open.ts';

type RunOptions = Takes<'scratchpad' | 'limit' | 'preview'>;

/**
 * Runs a command and exits with its exit code. Its output, both streams in order, goes to stdout when it has ended, at a terminal as it
 * comes; if
 * it is too long, a preview does, and an entry keeps the whole.
 */
export async function run(invocation: Invocation, command: string[], options: RunOptions): Promise<void> {
  const limit = wholeNumber(options.limit, '--limit', SPILL_LIMIT);
  const preview = wholeNumber(options.preview, '--preview', PREVIEW);
  const opened = await openSession(invocation);
  opened.mayMake();
  const entries = await entriesIn(opened);
  const { json } = invocation.options;
  let shown = '';
  const done = await runCommand(entries, {
    command: command as [string, ...string[]],
    cwd: invocation.cwd,
    env: invocation.env,
    limit,
    preview,
    name: options.scratchpad,
    show: (bytes) => {
      if (json) shown = bytes.toString();
      else write(1, bytes);
    },
    terminal: process.stdin.isTTY ?? false,
    live: json !== true && process.stdin.isTTY && process.stdout.isTTY,
  });
  const { entry, endless, ...outcome } = done;
  if (endless) invocation.note('the command was killed: its output would have filled the disk');
  if (entry && done.characters <= limit) invocation.note(`kept as ${entry.name}`);
  if (outcome.signal !== null) invocation.note(`the command was killed by ${outcome.signal}`);
  if (json) invocation.result({ ...outcome, entry, output: shown }, '');
  invocation.exitCode = outcome.exitCode;
}
