import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The store that several machines share. */
export function declareStore(program: Command, act: Act): void {
  const store = program
    .command('store')
    .description('share the memory between machines, in PostgreSQL')
    .addHelpText(
      'after',
      examples(
        'scratchpad config set --user store postgres://agents@db.example.com/scratchpad',
        'scratchpad store migrate --grant agents',
        'scratchpad store join',
        'scratchpad store status',
      ),
    );
  store
    .command('status')
    .description('show where the store is, when this workspace last synced, and what is unsent')
    .option('--offline', 'do not ask the server')
    .action(act(async () => (await import('../store.ts')).status));
  store
    .command('join')
    .description('start to share the memory of this workspace')
    .action(act(async () => (await import('../store.ts')).join));
  store
    .command('push')
    .description('send unsent changes, and take in changes they conflict with')
    .action(act(async () => (await import('../store.ts')).push));
  store
    .command('pull')
    .description('take in changes of other machines, and send unsent ones')
    .option('--all', 'also take in sessions that are not on this machine yet')
    .action(act(async () => (await import('../store.ts')).pull));
  store
    .command('migrate')
    .description('set up the database or bring it up to date; connect as the role that is to own it')
    .option('--grant <role>', 'give a database role access')
    .option('--tenant <name>', 'the tenant whose rows that role may see', 'default')
    .action(act(async () => (await import('../store.ts')).migrate));
  store
    .command('forget')
    .description('delete a session from the store; the copy on this machine stays')
    .argument('<session>', 'its id')
    .action(act(async () => (await import('../store.ts')).forget));
  store
    .command('sync', { hidden: true })
    .description('send and take in changes until none are left, in the background of other commands')
    .action(act(async () => (await import('../store.ts')).sync));
}
