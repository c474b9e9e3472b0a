import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** Commands that keep assembling on their own. */
export function declareTriggers(program: Command, act: Act): void {
  program
    .command('watch')
    .description('assemble whenever the session, a memory file or a setting changes; ends on a signal')
    .option('-t, --transcript <file>', 'watch this session file; it need not exist yet')
    .option('--debounce <duration>', 'wait until nothing has changed for this long', '1s')
    .option('--interval <duration>', 'shortest time between two runs', '10s')
    .option(
      '--poll [duration]',
      'poll the files (default every 5s), for network drives without change events',
    )
    .option('--once', 'end after the first change')
    .option('--stdin', 'end when stdin closes, as when the program that started it ends')
    .addHelpText(
      'after',
      examples(
        'scratchpad watch',
        'scratchpad watch --interval 1m --quiet &',
        'scratchpad watch --transcript ~/.pi/agent/sessions/--home-me-app--/s.jsonl --json',
      ),
    )
    .action(act(async () => (await import('../watch.ts')).watch));
  program
    .command('schedule')
    .description('assemble on a schedule, in the foreground; ends on a signal')
    .option('--every <duration>', 'how often, starting now (default 10m, unless --cron is given)')
    .option('--cron <expression>', 'at these times: minute hour day month weekday')
    .option('--active-hours <from-until>', 'only between these hours, such as 07:00-23:00')
    .option('--timezone <zone>', 'time zone of the schedule; the configured zone unless given')
    .option('--stdin', 'end when stdin closes, as when the program that started it ends')
    .option('--dry-run', 'only print the next runs')
    .addHelpText(
      'after',
      examples(
        'scratchpad schedule --every 10m --active-hours 07:00-23:00',
        'scratchpad schedule --cron "*/15 8-18 * * MON-FRI" --timezone Europe/Berlin --dry-run',
      ),
    )
    .action(act(async () => (await import('../schedule.ts')).schedule));
}
