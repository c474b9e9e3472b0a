import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';
import { declareSessionTransfer } from './session-transfer.ts';

/** Sessions: each with a pad and entries of its own. */
export function declareSession(program: Command, act: Act): void {
  const session = program
    .command('session')
    .description('sessions and their pads')
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
    .description('the sessions of this workspace, last changed first')
    .action(act(async () => (await import('../session.ts')).list));
  session
    .command('show')
    .description('one session: its pad, how full it is, its entries')
    .argument('[session]', 'its id; --session unless given')
    .action(act(async () => (await import('../session.ts')).show));
  session
    .command('fork')
    .description('a new session with all spaces and entries of another')
    .argument('<parent>', 'session to copy')
    .argument('<child>', 'id of the new session')
    .action(act(async () => (await import('../session.ts')).fork));
  session
    .command('spawn')
    .description('a new session that starts empty')
    .argument('<parent>', 'session it belongs to')
    .argument('<child>', 'id of the new session')
    .option('--copy-notepad', "start with the parent's notes")
    .option('--inherit <names...>', "lend it entries of the parent's, to read only")
    .addHelpText('after', examples('scratchpad session spawn main sub-1 --copy-notepad --inherit schema'))
    .action(act(async () => (await import('../session.ts')).spawn));
  session
    .command('archive')
    .description('put a session away under .scratchpad/archive/')
    .argument('<session>', 'its id')
    .action(act(async () => (await import('../session.ts')).archive));
  session
    .command('prune')
    .description('archive the sessions that nobody has changed for 30 days; never the primary one')
    .option('--older-than <duration>', 'idle for so long: 7d, 12h (30d unless given)')
    .option('--dry-run', 'only say which')
    .addHelpText('after', examples('scratchpad session prune --older-than 14d --dry-run'))
    .action(act(async () => (await import('../session.ts')).prune));
  session
    .command('adopt')
    .description(
      'take over plan, notes and refs of another session, as of a work tree that is gone, and archive it',
    )
    .argument('<session>', 'its id')
    .option('--replace', 'its plan in place of one that is not done')
    .action(act(async () => (await import('../session.ts')).adopt));
  session
    .command('delete')
    .description('put a session away with its pad and its entries; session restore takes it back')
    .argument('<session>', 'its id')
    .option('--yes', 'needed for the primary session, whose pad is SCRATCHPAD.md')
    .option('--for-good', 'keep nothing of it')
    .action(act(async () => (await import('../session.ts')).remove));
  declareSessionTransfer(program, act);
}
