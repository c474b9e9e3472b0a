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
    .option('--ttl <duration>', 'how long the block counts as fresh, such as 90s, 30m, 2h')
    .option('--dry-run', 'print the block and write nothing')
    .option('--explain', 'say why each line is there')
    .option('--if-stale', 'do nothing while the block is fresh')
    .option('--no-reply', 'print only NO_REPLY, which keeps an OpenClaw automation silent')
    .option('--trigger <name>', 'name of the calling timer, for status')
    .option('--active-hours <from-until>', 'do nothing outside these hours, such as 07:00-23:00')
    .option('--timezone <zone>', 'time zone of the active hours; the configured zone unless given')
    .addHelpText(
      'after',
      examples(
        'scratchpad assemble',
        'scratchpad assemble --if-stale --quiet',
        'scratchpad assemble --transcript ~/.claude/projects/-home-me-app/7f3a.jsonl',
        'echo \'[{"role":"user","content":"still broken!!"}]\' | scratchpad assemble --messages - --dry-run',
      ),
    )
    .action(act(async () => (await import('../assemble.ts')).assemble));
}
