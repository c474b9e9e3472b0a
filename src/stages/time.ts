import type { SectionLine, Stage } from './stage.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Time Context: the clock, which most prompts do not have, and what the hour suggests. */
export const timeStage: Stage = {
  id: 'time',
  title: 'Time Context',
  priority: 70,
  timeoutMs: 500,
  run({ local }) {
    const { word, note } = partOfDay(local.hour);
    const two = (value: number): string => String(value).padStart(2, '0');
    const lines: SectionLine[] = [
      {
        text: `- Local time: ${local.weekday} ${two(local.hour)}:${two(local.minute)} ${local.zoneName} (${word})`,
        priority: 95,
        why: `hour ${local.hour}, UTC offset ${local.offsetMinutes} minutes`,
      },
      { text: `- Date: ${local.day} ${MONTHS[local.month - 1]} ${local.year}`, priority: 65 },
    ];
    if (note) lines.push({ text: `- Note: ${note}`, priority: 60 });
    return { lines };
  },
};

/** Parts of the day as the published design has them: 23 to 7 late night, to 10 morning, else active hours. */
function partOfDay(hour: number): { word: string; note?: string } {
  if (hour >= 23 || hour < 7) return { word: 'late night', note: 'suggest deferral for non-urgent work' };
  if (hour < 10) return { word: 'morning', note: 'fresh start, good for complex work' };
  return { word: 'active hours' };
}
