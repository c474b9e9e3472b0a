import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** A look at the mood that assembly would read. */
export function declareMood(program: Command, act: Act): void {
  program
    .command('mood')
    .description(
      'how the person who spoke last seems to be, what says so, and how to answer; nothing is stored',
    )
    .option('-m, --messages <file>', 'messages as a JSON array or JSONL, - for stdin')
    .option('-t, --transcript <file>', "a host's session file")
    .option('--explain', 'every reading, all that was found, and for which mood')
    .option('--batch', 'one JSON request a line on stdin, one answer a line on stdout')
    .addHelpText(
      'after',
      examples(
        'scratchpad mood',
        'scratchpad mood --transcript ~/.claude/projects/-home-me-app/7f3a.jsonl',
        `echo '{"id":1,"messages":[{"role":"user","content":"still broken!!"}]}' | scratchpad mood --batch`,
      ),
    )
    .action(act(async () => (await import('../mood.ts')).mood));
}
