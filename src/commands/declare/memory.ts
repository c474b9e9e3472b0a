import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** Searching the memory files, and the index that makes it fast. */
export function declareMemory(program: Command, act: Act): void {
  const memory = program
    .command('memory')
    .description('MEMORY.md, USER.md and memory/: search them')
    .addHelpText(
      'after',
      examples('scratchpad memory search where does the cluster config live', 'scratchpad memory status'),
    );
  memory
    .command('search')
    .description('the lines that matter for a question, best first')
    .argument('[query...]', 'what to look for; - for stdin')
    .option('-n, --limit <n>', 'how many lines at most')
    .option('--explain', 'say what each line scored for')
    .option('--redact', 'take secrets and personal data out of the answers of --batch, too')
    .option('--no-redact', 'print secrets and personal data as they are in the files')
    .option('--no-index', 'read every file, use no index and write none')
    .option('--batch', 'one JSON request a line on stdin, one answer a line on stdout')
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
    .description('make the index anew; searches do this by themselves when they need it')
    .option('--changed', 'only bring it up to date')
    .action(act(async () => (await import('../memory-index.ts')).index));
  memory
    .command('status', { isDefault: true })
    .description('what is searched, what is left out and why, and whether the index is sound')
    .action(act(async () => (await import('../memory-index.ts')).status));
}
