import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** The main job: reading a session and writing the state block. */
export function declareAssembly(program: Command, act: Act): void {
  program
    .command('assemble')
    .description('read the last session and the memory files, and write the state block')
    .option('-m, --messages <file>', 'messages as a JSON array or JSONL, - for stdin')
    .option('-t, --transcript <file>', "a host's session file")
    .option('--ttl <duration>', 'how long the block counts as fresh: 90s, 30m, 2h')
    .option('--dry-run', 'print the block, write nothing')
    .option('--explain', 'say why each line is there')
    .addHelpText(
      'after',
      examples(
        'scratchpad assemble',
        'scratchpad assemble --transcript ~/.claude/projects/-home-me-app/7f3a.jsonl',
        'echo \'[{"role":"user","content":"still broken!!"}]\' | scratchpad assemble --messages - --dry-run',
      ),
    )
    .action(act(async () => (await import('../assemble.ts')).assemble));
}
