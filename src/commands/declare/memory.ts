import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** Searching the memory files, and the index that makes it fast. */
export function declareMemory(program: Command, act: Act): void {
  const memory = program
    .command('memory')
    .description('search MEMORY.md, USER.md and memory/')
    .addHelpText(
      'after',
      examples('scratchpad memory search where does the cluster config live', 'scratchpad memory status'),
    );
  memory
    .command('search')
    .description('print the lines that answer a question, best first')
    .argument('[query...]', 'what to look for; - for stdin')
    .option('-n, --limit <n>', 'at most this many lines')
    .option('--explain', 'explain the score of each line')
    .option('--redact', 'remove secrets and personal data from the answers of --batch, too')
    .option('--no-redact', 'print secrets and personal data as they are in the files')
    .option('--no-index', 'read every file; neither use nor write an index')
    .option('--batch', 'one JSON request per line on stdin, one answer per line on stdout')
    .addHelpText(
      'after',
      examples(
        'scratchpad memory search where does the cluster config live',
        'scratchpad memory search --explain "what did we decide about backups in January?"',
        `echo '{"id":1,"messages":[{"role":"user","content":"is the staging deploy fixed?"}]}' | scratchpad memory search --batch`,
      ),
    )
    .action(act(async () => (await import('../memory.ts')).search));
  memory
    .command('index')
    .description('rebuild the index; searches do so on their own when needed')
    .option('--changed', 'only bring the index up to date')
    .action(act(async () => (await import('../memory-index.ts')).index));
  memory
    .command('status', { isDefault: true })
    .description('show what is searched, what is left out and why, and whether the index is intact')
    .action(act(async () => (await import('../memory-index.ts')).status));
}
