import { SPACE_TITLES } from './markers.ts';
import { SECTIONS } from './sections.ts';

/** The beginnings of the headings of a hand-over. */
export const HANDOVER_HEADINGS = {
  person: "The person's messages",
  since: 'Since its last answer, unfinished',
  agent: "The agent's last messages, unchecked",
} as const;

const joinTitles = (titles: readonly string[]): string => titles.join('|').replaceAll("'", "['’ʼ`]");
const TITLES = joinTitles([...Object.values(SPACE_TITLES), ...SECTIONS.map(({ title }) => title)]);
const HANDOVER_TITLES = joinTitles(
  Object.values(HANDOVER_HEADINGS).map((title) => title.split(',', 1)[0] ?? ''),
);
/** Headings of a hand-over stand without signs in later texts of a window. */
const OURS = new RegExp(
  String.raw`^[\s>*_#-]*(?:${HANDOVER_TITLES})` +
    String.raw`|^\s*#+\s+(?:shared )?(?:${TITLES})(?:\s*$|,| of | \()`,
  'i',
);

/** Text of a pad in which no line can be taken for one of our headings: such a line begins with a backslash. */
export const escapeHeadings = (text: string): string =>
  text
    .split('\n')
    .map((line) => (OURS.test(line.normalize('NFKC')) ? line.replace(/\S/, '\\$&') : line))
    .join('\n');
