import { spellGap } from '../base/text/strings.ts';
import { MONTH_NAMES } from '../memory/dates.ts';
import { hourOf, type LocalTime, lastSpoken } from './clock.ts';
import { type BuiltInStage, PRIORITY, type SectionLine, type StageContext } from './stage.ts';

/** After this time the local time is repeated, because the last one is outdated. */
const CLOCK_EVERY_MS = 3_600_000;
/** The published design's word for the day. */
const ORDINARY = 'active hours';

/** Time Context: the local time, which most prompts lack, and advice for the hour. */
export const timeStage: BuiltInStage = {
  priority: PRIORITY.date,
  run(context) {
    const { local } = context;
    const { word, note } = partOfDay(local.hour);
    const lines: SectionLine[] = [
      {
        text: `- Local time: ${local.weekday} ${hourOf(local)} ${local.zoneName} (${word})`,
        priority: PRIORITY.localTime,
        why: `hour ${local.hour}, UTC offset ${local.offsetMinutes} minutes`,
        inject: { key: 'clock', text: clockLine(context, word), everyMs: CLOCK_EVERY_MS },
      },
      { text: `- Date: ${dateOf(local)} ${local.year}`, priority: PRIORITY.date, why: 'the clock' },
    ];
    if (note)
      lines.push({ text: `- Note: ${note}`, priority: PRIORITY.quietHours, why: `the hour: ${word}` });
    return { lines };
  },
};

/** Date, time, zone and part of the day in one line, with the length of a silence before it. */
function clockLine({ local, messages, now }: StageContext, word: string): string {
  // The ordinary part of the day tells a model nothing.
  const part = word === ORDINARY ? '' : ` (${word})`;
  const clock = `Now: ${local.weekday} ${dateOf(local)} ${local.year}, ${hourOf(local)} ${local.zoneName}${part}`;
  const at = lastSpoken(messages, now);
  const gap = at === undefined ? 0 : now - at;
  return gap < CLOCK_EVERY_MS ? `${clock}.` : `${clock}, ${spellGap(gap)} after their last message.`;
}

/** Parts of the day as in the published design: late night from 23 to 7, morning until 10, else active hours. */
function partOfDay(hour: number): { word: string; note?: string } {
  if (hour >= 23 || hour < 7) return { word: 'late night', note: 'suggest deferral for non-urgent work' };
  if (hour < 10) return { word: 'morning', note: 'fresh start, good for complex work' };
  return { word: ORDINARY };
}

function dateOf({ day, month }: LocalTime): string {
  return `${day} ${MONTH_NAMES[month - 1]}`;
}
