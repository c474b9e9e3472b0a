import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';
import { declareSessionTransfer } from './session-transfer.ts';

/** Sessions, each with its own pad and entries. */
export function declareSession(program: Command, act: Act): void {
  const session = program
    .command('session')
    .description('manage sessions, each with its own pad')
    .addHelpText(
      'after',
      examples(
        'scratchpad session list',
        'scratchpad session fork main experiment',
        'scratchpad plan show --session experiment',
      ),
    );
  session
    .command('list', { isDefault: true })
    .description('list the sessions of this workspace, last changed first')
    .action(act(async () => (await import('../session.ts')).list));
  session
    .command('show')
    .description('show one session: its pad, how full it is, its entries')
    .argument('[session]', 'its id; that of --session unless given')
    .action(act(async () => (await import('../session.ts')).show));
  session
    .command('fork')
    .description('create a session with all spaces and entries of another')
    .argument('<parent>', 'the session to copy')
    .argument('<child>', 'id of the new session')
    .action(act(async () => (await import('../session.ts')).fork));
  session
    .command('spawn')
    .description('create an empty session')
    .argument('<parent>', 'the session it belongs to')
    .argument('<child>', 'id of the new session')
    .option('--copy-notepad', "start with the parent's notes")
    .option('--inherit <names...>', 'let it read these entries of the parent')
    .addHelpText('after', examples('scratchpad session spawn main sub-1 --copy-notepad --inherit schema'))
    .action(act(async () => (await import('../session.ts')).spawn));
  session
    .command('archive')
    .description('move a session to .scratchpad/archive/')
    .argument('<session>', 'its id')
    .action(act(async () => (await import('../session.ts')).archive));
  session
    .command('prune')
    .description('archive sessions unchanged for 30 days, but never the primary one')
    .option('--older-than <duration>', 'unchanged for this long, such as 7d or 12h (default 30d)')
    .option('--dry-run', 'only list them')
    .addHelpText('after', examples('scratchpad session prune --older-than 14d --dry-run'))
    .action(act(async () => (await import('../session.ts')).prune));
  session
    .command('adopt')
    .description(
      'take over plan, notes and refs of another session, such as that of a removed work tree, and archive it',
    )
    .argument('<session>', 'its id')
    .option('--replace', 'replace a plan that is not done with its plan')
    .action(act(async () => (await import('../session.ts')).adopt));
  session
    .command('delete')
    .description('delete a session with its pad and its entries; session restore brings it back')
    .argument('<session>', 'its id')
    .option('--yes', 'required for the primary session, whose pad is SCRATCHPAD.md')
    .option('--for-good', 'delete it permanently')
    .action(act(async () => (await import('../session.ts')).remove));
  declareSessionTransfer(program, act);
}
