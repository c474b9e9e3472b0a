import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** What a session's own records prove. */
export function declareTrail(program: Command, act: Act): void {
  const trail = program
    .command('trail')
    .description('what the last session left: edits, checks, tasks, decisions, read from its own records')
    .addHelpText(
      'after',
      examples('scratchpad trail', 'scratchpad trail --all --json', 'scratchpad trail forget 3'),
    );
  trail
    .command('show', { isDefault: true })
    .description('the facts, each with its reason and where it was learned')
    .option('--all', 'with all files and commands, and with what has ended')
    .action(act(async () => (await import('../trail.ts')).show));
  trail
    .command('forget')
    .description('leave facts out from now on')
    .argument('<numbers...>', 'numbers that `scratchpad trail` shows')
    .action(act(async () => (await import('../trail.ts')).forget));
}
