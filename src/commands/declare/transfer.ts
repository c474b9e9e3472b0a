import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** Exports and imports a whole workspace, and imports the memory of other tools. */
export function declareTransfer(program: Command, act: Act): void {
  program
    .command('export')
    .description('write the whole workspace to one file: sessions with their history, entries, trails')
    .argument('<file>', 'the file to create; only you will be able to read it')
    .option('--redact', 'without secrets, and without the history')
    .addHelpText('after', examples('scratchpad export memory.jsonl'))
    .action(act(async () => (await import('../transfer.ts')).exportTo));
  program
    .command('import')
    .description(
      'take in an exported workspace, or the memory of another tool; keeps everything that is here',
    )
    .argument(
      '<path>',
      'a file written by scratchpad export, a folder with task_plan.md, beads issues, a claude-mem export',
    )
    .addHelpText(
      'after',
      examples(
        'scratchpad import memory.jsonl',
        'scratchpad import .',
        'scratchpad import .beads/issues.jsonl',
        'scratchpad import claude-mem-export.json',
      ),
    )
    .action(act(async () => (await import('../transfer.ts')).importFrom));
}
