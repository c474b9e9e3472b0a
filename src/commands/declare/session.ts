import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';
import { declareSessionTransfer } from './session-transfer.ts';

/** Sessions: each with a pad and entries of its own. */
export function declareSession(program: Command, act: Act): void {
  const session = program.command('session').description('sessions and their pads');
  session
    .command('list')
    .description('the sessions of this workspace, last changed first')
    .action(act(async () => (await import('../session.ts')).list));
  session
    .command('show')
    .description('one session: its pad, how full it is, its entries')
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
    .command('delete')
    .description('delete a session, its pad and its entries')
    .argument('<session>', 'its id')
    .action(act(async () => (await import('../session.ts')).remove));
  declareSessionTransfer(program, act);
}
