import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The store that several machines share. */
export function declareStore(program: Command, act: Act): void {
  const store = program
    .command('store')
    .description('the memory that several machines share, in PostgreSQL')
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
    .description('where it is, when this workspace was last in step with it, what is unsent')
    .option('--offline', 'do not ask the server')
    .action(act(async () => (await import('../store.ts')).status));
  store
    .command('join')
    .description('share the memory of this workspace from now on')
    .action(act(async () => (await import('../store.ts')).join));
  store
    .command('push')
    .description('send what is unsent, and take in what that meets')
    .action(act(async () => (await import('../store.ts')).push));
  store
    .command('pull')
    .description('take in what other machines wrote, and send what is unsent')
    .option('--all', 'the sessions too that are not on this machine yet')
    .action(act(async () => (await import('../store.ts')).pull));
  store
    .command('migrate')
    .description('set up the database, or bring it up to date; as the role that is to own it')
    .option('--grant <role>', 'let a role of the database use it')
    .option('--tenant <name>', 'for which tenant; rows of another one are not seen', 'default')
    .action(act(async () => (await import('../store.ts')).migrate));
  store
    .command('forget')
    .description('delete what the store has of a session; what is on this machine stays')
    .argument('<session>', 'its id')
    .action(act(async () => (await import('../store.ts')).forget));
  store
    .command('sync', { hidden: true })
    .description('send and take in until nothing is left to do, behind other commands')
    .action(act(async () => (await import('../store.ts')).sync));
}
