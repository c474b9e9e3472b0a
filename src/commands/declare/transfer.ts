import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** A whole workspace out and in, and other tools' memories in. */
export function declareTransfer(program: Command, act: Act): void {
  program
    .command('export')
    .description('write the whole workspace as one file: sessions with their history, entries, trails')
    .argument('<file>', 'a new file, which only you can read')
    .option('--redact', 'without secrets, and without the history')
    .addHelpText('after', examples('scratchpad export memory.jsonl'))
    .action(act(async () => (await import('../transfer.ts')).exportTo));
  program
    .command('import')
    .description('take in an exported workspace, or the memory of another tool; nothing here is dropped')
    .argument(
      '<path>',
      'a file of scratchpad export, a folder with task_plan.md, issues of beads, an export of claude-mem',
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
