import type { Command } from 'commander';
import type { Act } from './action.ts';
import { examples } from './examples.ts';

/** What assembles by itself. */
export function declareTriggers(program: Command, act: Act): void {
  program
    .command('watch')
    .description('assemble whenever the session, a memory file or a setting changes; ends on a signal')
    .option('-t, --transcript <file>', 'watch this session file, which need not exist yet')
    .option('--debounce <duration>', 'wait until nothing has changed for so long', '1s')
    .option('--interval <duration>', 'least time between two runs', '10s')
    .option('--poll [duration]', 'look at the files so often (5s), for network drives that tell of nothing')
    .option('--once', 'end after the first change')
    .option('--stdin', 'end when stdin does, as when the program that started it ends')
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
    .description('assemble by the clock, in the foreground; ends on a signal')
    .option('--every <duration>', 'so often, the first time at once (10m unless --cron is given)')
    .option('--cron <expression>', 'at these times: minute hour day month weekday')
    .option('--active-hours <from-until>', 'only in this part of the day, such as 07:00-23:00')
    .option('--timezone <zone>', 'whose clock counts; the configured zone unless given')
    .option('--stdin', 'end when stdin does, as when the program that started it ends')
    .option('--dry-run', 'print the next runs and end')
    .addHelpText(
      'after',
      examples(
        'scratchpad schedule --every 10m --active-hours 07:00-23:00',
        'scratchpad schedule --cron "*/15 8-18 * * MON-FRI" --timezone Europe/Berlin --dry-run',
      ),
    )
    .action(act(async () => (await import('../schedule.ts')).schedule));
}
