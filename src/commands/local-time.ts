import type { Config } from '../config/config.ts';
import { cachePath } from '../fs/cache.ts';
import { openClock } from '../stages/clock.ts';

/** Formats times in the person's zone: `2026-02-06 01:30`. Lists print these; JSON has ISO 8601 in UTC. */
export function localTimes(config: Config, root: string): (at: string | number) => string {
  const zone = config.timezone;
  const clock = openClock(
    zone === undefined ? { kind: 'system' } : { kind: 'named', name: zone },
    cachePath(root, 'zones.json'),
  );
  return (at) => {
    const ms = typeof at === 'number' ? at : Date.parse(at);
    if (Number.isNaN(ms)) return 'unknown time'.padEnd(16);
    const { date, hour, minute } = clock(ms);
    return `${date} ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  };
}
