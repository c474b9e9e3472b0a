import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** What a session's own records prove. */
export function declareTrail(program: Command, act: Act): void {
  const trail = program
    .command('trail')
    .description('show what the last session did, from its own records: edits, checks, tasks, decisions')
    .addHelpText(
      'after',
      examples('scratchpad trail', 'scratchpad trail --all --json', 'scratchpad trail forget 3'),
    );
  trail
    .command('show', { isDefault: true })
    .description('print the facts, each with its reason and source')
    .option('-t, --transcript <file>', 'of this session file of a host, without storing anything')
    .option('--all', 'include all files and commands, and facts that have ended')
    .action(act(async () => (await import('../trail.ts')).show));
  trail
    .command('forget')
    .description('leave these facts out from now on')
    .argument('<numbers...>', 'numbers that `scratchpad trail` shows')
    .action(act(async () => (await import('../trail.ts')).forget));
}
