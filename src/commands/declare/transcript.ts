import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** What is read of the hosts' sessions. */
export function declareTranscript(program: Command, act: Act): void {
  const transcript = program
    .command('transcript')
    .description('the sessions of the hosts, as they are read')
    .addHelpText(
      'after',
      examples('scratchpad transcript list --limit 5', 'scratchpad transcript show --limit 20'),
    );
  transcript
    .command('list', { isDefault: true })
    .description('the sessions of this workspace over all hosts, the last active one first')
    .option('-n, --limit <n>', 'how many to list, all unless given')
    .action(act(async () => (await import('../transcript.ts')).list));
  transcript
    .command('show')
    .description('the messages of a session, and what was passed over in it')
    .argument('[file]', 'a session file of any host, - for stdin; else --session, or the last active one')
    .option('-n, --limit <n>', 'the window of so many messages that assemble would see; all unless given')
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
