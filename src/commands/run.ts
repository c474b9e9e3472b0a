import { formatThousands } from '../base/text/strings.ts';
import { runCommand } from '../entries/run.ts';
import { describeFormer, PREVIEW, SPILL_LIMIT } from '../entries/spill.ts';
import { defineCommand } from './command.ts';
import { write } from './invocation.ts';
import { needWorkspace, openEntries, openSession } from './open.ts';
import { reportFailure } from './print.ts';

/** Both streams are shown in order, at a terminal as they come; of what is too long a preview. */
export const run = defineCommand({
  takes: {
    '<command...>': 'the command and its arguments, with options; its stderr goes to stdout',
    '--scratchpad <name>': 'always keep the output, under this name',
    '--limit <n|0>': 'the longest output to show in full (default 30,000 characters)',
    '--preview <n|0>': 'length of a preview (default 2,000 characters)',
  },
  examples: ['scratchpad run npm test', 'scratchpad run --scratchpad tests pytest -q'],
  run: async (call, given) => {
    const { limit = SPILL_LIMIT, preview = PREVIEW } = given;
    const opened = await openSession(call);
    needWorkspace(opened, call, 'the command was not run');
    opened.assertCanCreate();
    const { json } = call.options;
    let output = '';
    const { there, own } = await openEntries(opened);
    const done = await runCommand(own ?? there, {
      ...{ cwd: call.cwd, env: call.env, limit, preview },
      command: given.command as [string, ...string[]],
      name: given.scratchpad,
      beside: own && there,
      show: (bytes) => {
        if (json) output = bytes.toString();
        else write(1, bytes);
      },
      terminal: process.stdin.isTTY ?? false,
      live: json !== true && process.stdin.isTTY && process.stdout.isTTY,
    });

    const { entry, endless, notKept, ...outcome } = done;
    const short = done.characters <= limit;

    if (endless) call.note('the command was killed: its output would have filled the disk');
    if (short && entry) call.note(`kept as ${entry.name}${describeFormer(entry)}`);
    if (short && given.scratchpad === undefined)
      call.note(
        `nothing was kept: ${formatThousands(done.characters)} of ${formatThousands(limit)} characters; --scratchpad NAME keeps it`,
      );
    if (outcome.signal !== null) call.note(`the command was killed by ${outcome.signal}`);
    if (json) call.result({ ...outcome, entry, output }, '');
    call.exitCode = outcome.exitCode;
    if (notKept === undefined) return;

    // A failure of the command itself says more than ours.
    const code = reportFailure(notKept, call.env, false);
    if (outcome.exitCode === 0) call.exitCode = code;
  },
});
