import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** What is read of the hosts' sessions. */
export function declareTranscript(program: Command, act: Act): void {
  const transcript = program
    .command('transcript')
    .description('show the sessions of the hosts, as scratchpad reads them')
    .addHelpText(
      'after',
      examples('scratchpad transcript list --limit 5', 'scratchpad transcript show --limit 20'),
    );
  transcript
    .command('list', { isDefault: true })
    .description('list the sessions of this workspace from all hosts, most recently active first')
    .option('-n, --limit <n>', 'how many to list; all unless given')
    .action(act(async () => (await import('../transcript.ts')).list));
  transcript
    .command('show')
    .description('print the messages of a session, and what was skipped in it')
    .argument(
      '[file]',
      'a session file of any host, - for stdin; that of --session, or the most recently active one, unless given',
    )
    .option('-n, --limit <n>', 'only the last messages, as assemble would see them; all unless given')
    .addHelpText(
      'after',
      examples(
        'scratchpad transcript show',
        'scratchpad transcript show ~/.codex/sessions/2026/02/06/rollout-2026-02-06.jsonl --limit 20',
        'scratchpad transcript show --json session.jsonl | jq -r \'select(.role == "user").content\'',
      ),
    )
    .action(act(async () => (await import('../transcript.ts')).show));
}
