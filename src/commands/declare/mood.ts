import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** A look at the mood that assembly would read. */
export function declareMood(program: Command, act: Act): void {
  program
    .command('mood')
    .description(
      'show the mood of the person who spoke last, the evidence for it, and how to answer; stores nothing',
    )
    .option('-m, --messages <file>', 'messages as a JSON array or JSONL, - for stdin')
    .option('-t, --transcript <file>', "a host's session file")
    .option('--explain', 'show every reading, all cues found, and the mood each speaks for')
    .option('--batch', 'one JSON request per line on stdin, one answer per line on stdout')
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
