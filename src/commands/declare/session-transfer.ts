import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** Moves the scratchpad into and out of a host's own session file; joins the `session` group, or creates it. */
export function declareSessionTransfer(program: Command, act: Act): void {
  const session =
    program.commands.find((command) => command.name() === 'session') ??
    program.command('session').description('sessions and their pads');
  session
    .command('restore')
    .description('restore a session that was archived or deleted, or rebuild the spaces from a session file')
    .argument('[session]', 'its id')
    .option('--from <file>', 'an OpenClaw or pi session, an OpenClaw database, or a scratchpad journal')
    .addHelpText(
      'after',
      examples(
        'scratchpad session restore experiment',
        'scratchpad session restore --from ~/.pi/agent/sessions/--home-me-app--/s.jsonl',
      ),
    )
    .action(act(async () => (await import('../session-transfer.ts')).restore));
  session
    .command('persist')
    .description('append the spaces to a session file of OpenClaw or pi')
    .requiredOption('--to <file>', 'the session file (JSONL)')
    .action(act(async () => (await import('../session-transfer.ts')).persist));
}
