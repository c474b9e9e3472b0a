import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** Ways to look at a session: a page, a live view, a line. */
export function declareLook(program: Command, act: Act): void {
  program
    .command('report')
    .description('write an HTML page about the session: timeline, plan, trail, mood, what the model was told')
    .option('-o, --output <file>', 'the file to write, - for stdout (default .scratchpad/report.html)')
    .option('-t, --transcript <file>', "a host's session file; the most recently active session unless given")
    .addHelpText('after', examples('scratchpad report', 'scratchpad report --output session.html'))
    .action(act(async () => (await import('../page.ts')).page));
  program
    .command('top')
    .description('show a live view of the pad in the terminal; q quits')
    .option('--interval <duration>', 'how often to refresh (default 1s)')
    .addHelpText('after', examples('scratchpad top', 'scratchpad top --interval 5s'))
    .action(act(async () => (await import('../top.ts')).top));
  program
    .command('line')
    .description('print one line for a shell prompt or a status line; nothing where there is no pad')
    .option('--stdin', "take the directory from the JSON that Claude Code's statusLine passes on stdin")
    .addHelpText(
      'after',
      examples(
        `PS1='$(scratchpad line 2>/dev/null) \\$ '`,
        'scratchpad line --stdin   # as statusLine in .claude/settings.json',
      ),
    )
    .action(act(async () => (await import('../line.ts')).line));
}
