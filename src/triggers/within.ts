import { settingFor } from '../config/build.ts';
import type { Config } from '../config/config.ts';
import { readValue } from '../config/values.ts';
import { cachePath } from '../fs/cache.ts';
import { openClock } from '../stages/clock.ts';
import { isActive, parseActiveHours } from './active-hours.ts';
import type { Within } from './timetable.ts';

/** The part of the day in which runs are wanted, as it was typed. */
export interface WithinOptions {
  activeHours?: string;
  timezone?: string;
}

/**
 * The hours, and the clock that they go by: of the zone that is named here, in the settings, or the system's.
 * @throws ScratchpadError `usage`
 */
export function readWithin(
  { activeHours, timezone }: WithinOptions,
  { timezone: configured }: Pick<Config, 'timezone'>,
  root: string,
): Within & { zone: string | undefined } {
  const zone = timezone === undefined ? configured : String(readValue(settingFor('timezone'), timezone));
  return {
    zone,
    clock: openClock(
      zone === undefined ? { kind: 'system' } : { kind: 'named', name: zone },
      cachePath(root, 'zones.json'),
    ),
    hours: activeHours === undefined ? undefined : parseActiveHours(activeHours),
  };
}

/** Whether a moment (epoch milliseconds) is in the hours. @throws ScratchpadError `usage` */
export function isWithin(
  options: WithinOptions,
  config: Pick<Config, 'timezone'>,
  root: string,
  at: number,
): boolean {
  const { hours, clock } = readWithin(options, config, root);
  return hours === undefined || isActive(hours, clock, at);
}
