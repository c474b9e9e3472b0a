import { spellGap } from '../base/text/strings.ts';
import { MONTH_NAMES } from '../memory/dates.ts';
import { hourOf, type LocalTime, lastSpoken } from './clock.ts';
import { type BuiltInStage, PRIORITY, type SectionLine, type StageContext } from './stage.ts';

/** A model is told the time after a silence of so long, or when the date has changed. */
const SILENCE_MS = 4 * 3_600_000;
/** The published design's word for the day. */
const ORDINARY = 'active hours';

/** Time Context: the local time, which most prompts lack, and advice for the hour. */
export const timeStage: BuiltInStage = {
  priority: PRIORITY.date,
  run(context) {
    const { local } = context;
    const news = clockLine(context);
    const { word, note } = partOfDay(local.hour);
    const lines: SectionLine[] = [
      {
        text: `- Local time: ${local.weekday} ${hourOf(local)} ${local.zoneName} (${word})`,
        priority: PRIORITY.localTime,
        why: `hour ${local.hour}, UTC offset ${local.offsetMinutes} minutes`,
        ...(news !== undefined && { inject: { key: 'clock', text: news, at: ['prompt', 'resume'] } }),
      },
      { text: `- Date: ${dateOf(local)} ${local.year}`, priority: PRIORITY.date, why: 'the clock' },
    ];
    if (note)
      lines.push({ text: `- Note: ${note}`, priority: PRIORITY.quietHours, why: `the hour: ${word}` });
    return { lines };
  },
};

/** Date and time in one line, where the conversation does not tell: after a long silence, or on another day. */
function clockLine({ clock, local, messages, now }: StageContext): string | undefined {
  const at = lastSpoken(messages, now);
  if (at === undefined || (now - at < SILENCE_MS && clock(at).date === local.date)) return undefined;
  const time = `${local.weekday} ${dateOf(local)} ${local.year}, ${hourOf(local)} ${local.zoneName}`;
  return `Now: ${time}, ${spellGap(now - at)} after their last message.`;
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
