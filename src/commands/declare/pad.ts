import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The file as a whole. */
export function declarePad(program: Command, act: Act): void {
  program
    .command('init')
    .description('create SCRATCHPAD.md in this directory')
    .option('--tracked', 'in a git work tree: do not keep the pad out of commits')
    .addHelpText('after', examples('scratchpad init', 'scratchpad init --workspace ~/agent'))
    .action(act(async () => (await import('../init.ts')).init));
  program
    .command('show')
    .description('print the pad, with its age and how full it is')
    .addHelpText(
      'after',
      examples('scratchpad show', 'scratchpad show | head -5', 'scratchpad show --session 7f3a'),
    )
    .action(act(async () => (await import('../show.ts')).show));
  program
    .command('context')
    .description('print what goes before the model: the spaces, and the state block while it is fresh')
    .addHelpText('after', examples('scratchpad context', 'scratchpad context --session 7f3a'))
    .action(act(async () => (await import('../context.ts')).context));
  program
    .command('check')
    .description('say how old the state block is and whether the file is sound; exits 4 when stale')
    .addHelpText('after', examples('scratchpad check', 'scratchpad check --quiet || scratchpad assemble'))
    .action(act(async () => (await import('../check.ts')).check));
  program
    .command('status')
    .description('where things are, how full the spaces are, what ran last and what went wrong')
    .addHelpText('after', examples('scratchpad status', 'scratchpad status --json'))
    .action(act(async () => (await import('../status.ts')).status));
}
