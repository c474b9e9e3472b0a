import { formatGap, HOUR_MS } from '../base/text/durations.ts';
import { isSpeakingOfTime } from '../handover/words.ts';
import { MONTH_NAMES } from '../memory/dates.ts';
import { findPreviousMessageTime, formatHour, measureSilence } from './clock.ts';
import { type BuiltInStage, PRIORITY, type SectionLine, type StageContext } from './stage.ts';

/** A prompt that speaks of time is told it after a silence of so long, or when the date has changed; a resume always. */
const SILENCE_MS = 4 * HOUR_MS;
const ORDINARY = 'active hours';

/** Time Context: the local time, which most prompts lack, and advice for the hour. */
export const timeStage: BuiltInStage = {
  priority: PRIORITY.quietHours,
  tells: 'all',
  run(context) {
    const { local, config } = context;
    const news = renderClockLine(context);
    const { word, note, isFresh } = findPartOfDay(local.hour, config.activeHours);
    // Whoever has been at work since the night begins nothing.
    const isTrue = !isFresh || (measureSilence(context.messages, context.now) ?? 0) >= SILENCE_MS;
    const lines: SectionLine[] = [
      {
        text: `- Local time: ${local.weekday} ${formatHour(local)} ${local.zoneName} (${word})`,
        priority: PRIORITY.localTime,
        why: `hour ${local.hour}, UTC offset ${local.offsetMinutes} minutes`,
        ...(news !== undefined && {
          inject: {
            key: 'clock',
            text: news,
            at: hasPromptOfTime(context) ? ['prompt', 'resume'] : ['resume'],
          },
        }),
      },
    ];

    if (note && isTrue)
      lines.push({ text: `- Note: ${note}`, why: `the hour: ${word}; active ${config.activeHours}` });

    return { lines };
  },
};

export const hasPromptOfTime = ({ messages }: StageContext): boolean =>
  isSpeakingOfTime(messages.findLast(({ role }) => role === 'user')?.content ?? '');

/** Date and time in one line, where the conversation does not tell: after a long silence, or on another day. */
function renderClockLine({ clock, local, messages, now }: StageContext): string | undefined {
  const at = findPreviousMessageTime(messages, now);
  if (at === undefined || (now - at < SILENCE_MS && clock(at).date === local.date)) return undefined;
  const [year, month = 1, day] = local.date.split('-').map(Number);
  const time = `${local.weekday} ${day} ${MONTH_NAMES[month - 1]} ${year}, ${formatHour(local)} ${local.zoneName}`;
  return `Now: ${time}, ${formatGap(now - at)} after their last message.`;
}

const MORNING_HOURS = 3;

/** The published design has late night from 23 to 7, morning until 10, else active hours. */
function findPartOfDay(hour: number, active: string): { word: string; note?: string; isFresh?: true } {
  const [from = 0, until = 0] = active.split('-').map(Number);
  const since = (hour - from + 24) % 24;
  if (since >= (until - from + 24) % 24 && from !== until % 24) {
    const word = hour >= 23 || hour < 7 ? 'late night' : 'outside active hours';
    return { word, note: 'suggest deferral for non-urgent work' };
  }

  if (since < MORNING_HOURS && hour < 12)
    return { word: 'morning', note: 'fresh start, good for complex work', isFresh: true };

  return { word: ORDINARY };
}
