import { isTerminal } from '../base/fs/index.ts';
import { formatEntryCall } from '../entries/refusals.ts';
import { runCommand } from '../entries/run.ts';
import { describeFormer, PREVIEW, SPILL_LIMIT } from '../entries/spill.ts';
import { defineCommand } from './command.ts';
import { write } from './invocation.ts';
import { listEntryPlaces, openSession, requireWorkspace } from './open.ts';
import { reportFailure } from './print.ts';

/** Milliseconds without output after which a command in a pipe looks hung. */
const HOLD_MS = 2000;

/** Shows both streams in order as they come, and a preview of a long output. */
export const run = defineCommand({
  takes: {
    '<command...>': 'the command and its arguments, with options; its stderr goes to stdout',
    '--scratchpad <name>': 'always keep the output, under this name',
    '--limit <n|0>': 'the longest output to show in full (default 30,000 characters)',
    '--preview <n|0>': 'length of a preview (default 2,000 characters)',
  },
  examples: ['scratchpad run npm test', 'scratchpad run --scratchpad tests pytest -q'],
  run: async (call, { command, scratchpad: name, limit = SPILL_LIMIT, preview = PREVIEW }) => {
    const opened = await openSession(call);
    requireWorkspace(opened, call, 'the command was not run');
    opened.assertCanCreate();
    const { json } = call.options;
    // At a terminal the command may ask something.
    const holdMs = isTerminal(1) ? 0 : HOLD_MS;
    let output = '';
    const [entries, shared] = await listEntryPlaces(opened);
    const result = await runCommand(entries, {
      ...{ cwd: call.cwd, env: call.env, limit, preview, name, beside: shared },
      command: command as [string, ...string[]],
      show: (bytes) => {
        if (json) output = bytes.toString();
        else write(1, bytes);
      },
      terminal: process.stdin.isTTY ?? false,
      holdMs: json ? Number.POSITIVE_INFINITY : holdMs,
    });

    const { entry, endless, notKept, ...outcome } = result;
    const isShort = result.characters <= limit;

    if (endless) call.note('the command was killed: its output would have filled the disk');
    const whole = entry && formatEntryCall('read', entry.name, ['--raw'], call.options.session);
    if (!isShort && whole && !isTerminal(1))
      call.warn([`the output was shortened; all of it: ${whole}`], 'always');
    if (isShort && entry) call.note(`kept as ${entry.name}${describeFormer(entry)}`);
    if (isShort && !entry && isTerminal(2)) call.note('nothing was kept; --scratchpad NAME keeps it');
    if (outcome.signal !== null) call.note(`the command was killed by ${outcome.signal}`);
    if (json) call.print({ ...outcome, entry, output }, '');
    call.exitCode = outcome.exitCode;
    if (notKept === undefined) return;

    // A failure of the command itself says more than ours.
    const exitCode = reportFailure(notKept, call.env, false);
    if (outcome.exitCode === 0) call.exitCode = exitCode;
  },
});
