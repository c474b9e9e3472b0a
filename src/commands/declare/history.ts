import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** What happened to the spaces, and the way back. */
export function declareHistory(program: Command, act: Act): void {
  program
    .command('history')
    .description('list the changes to the spaces, newest first')
    .option('-n, --limit <n>', 'how many to show', '20')
    .option('--space <name>', 'only this space')
    .addHelpText('after', examples('scratchpad history', 'scratchpad history --space notes --limit 5'))
    .action(act(async () => (await import('../history.ts')).history));
  program
    .command('diff')
    .description('show what changed between two revisions; the newest change unless given')
    .argument('[from]', 'number of the earlier revision')
    .argument('[to]', 'number of the later revision; the newest unless given')
    .addHelpText('after', examples('scratchpad diff', 'scratchpad diff 3', 'scratchpad diff 3 7'))
    .action(act(async () => (await import('../history.ts')).diff));
  program
    .command('undo')
    .description('undo the newest changes, including edits made by hand')
    .argument('[count]', 'how many changes (default 1)')
    .addHelpText('after', examples('scratchpad undo', 'scratchpad undo 3'))
    .action(act(async () => (await import('../history.ts')).undo));
  program
    .command('redo')
    .description('redo changes that were undone')
    .argument('[count]', 'how many changes (default 1)')
    .addHelpText('after', examples('scratchpad redo'))
    .action(act(async () => (await import('../history.ts')).redo));
  program
    .command('restore')
    .description('restore the spaces to what they were at a revision')
    .argument('<revision>', 'its number, as history shows it')
    .option('--space <name>', 'only this space')
    .addHelpText('after', examples('scratchpad restore 7', 'scratchpad restore 7 --space plan'))
    .action(act(async () => (await import('../history.ts')).restore));
}
