import { usageOf } from '../../pad/budget.ts';
import { SPACE_NAMES } from '../../pad/markers.ts';
import type { StageContext } from '../stage.ts';
import type { Alert } from './alert.ts';
import { daysBetween } from './due.ts';

const NEARLY_FULL = 0.9;
const QUIET_DAYS = 3;

/** Spaces that will soon refuse additions. */
export function fullSpaces({ spaces, config }: StageContext): Alert[] {
  return SPACE_NAMES.flatMap((space) => {
    const { used, limit, unit } = usageOf(space, spaces[space], config.limits);
    if (used < limit * NEARLY_FULL) return [];
    return {
      subject: `scratchpad ${space}`,
      text: `- Scratchpad: ${space} holds ${used} of ${limit} ${unit}`,
      inHours: 12,
      why: `at ${NEARLY_FULL * 100} % or more`,
      ofSpaces: true,
    };
  });
}

/** There were daily notes, but no longer. */
export function quietMemory({ notes, local }: StageContext): Alert[] {
  const newest = notes[0];
  if (newest === undefined) return [];
  const days = daysBetween(newest.date, local.date);
  if (days < QUIET_DAYS) return [];
  return [
    {
      subject: 'memory daily note',
      text: `- Memory: no daily note for ${days} days (the last is ${newest.path})`,
      inHours: 36,
      why: 'dates of the note files',
    },
  ];
}
