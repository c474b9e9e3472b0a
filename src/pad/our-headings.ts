import { SPACE_TITLES } from './markers.ts';
import { SECTIONS } from './sections.ts';

/** The beginnings of the headings of a hand-over. */
export const HANDOVER_HEADINGS = {
  person: "The person's messages",
  since: 'Since its last answer, unfinished',
  agent: "The agent's last messages, unchecked",
} as const;

/** Letters that look like Latin ones, each before the one that it looks like. */
const ALIKE = new Map(
  'аaαaɑaᴀaвbßbсcϲcᴄcԁdᴅdеeεeᴇeғfꜰfɡgɢgһhнhʜhіiιiıiɪiјjкkκkᴋkӏlʟlмmᴍmոnηnпnɴnоoοoօoσoᴏoрpρpᴘpгrʀrѕsꜱsтtτtᴛtυuսuᴜuνvѵvᴠvѡwωwᴡwхxχxуyγyʏy0o1l3e5s'
    .match(/../gu)
    ?.map(([sign = '', letter = '']) => [sign, letter]),
);

const dropMarkup = (text: string): string => text.replace(/<[^<>]{0,200}>|&(?:amp;)*#?\w{1,10};/g, '');

/** The letters of a text as a reader takes them, without marks, tags and entities. */
const readLetters = (text: string, unknownLetter = ''): string =>
  dropMarkup(text)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{DI}\p{Lm}]/gu, '')
    .replace(
      /\P{ASCII}|[0135](?=[a-z])/gu,
      (sign) => ALIKE.get(sign) ?? (/\p{L}/u.test(sign) ? unknownLetter : ''),
    )
    .replace(/[^a-z?]+/g, '')
    .replaceAll('rn', 'm');

/** Whether letters begin with a title; less than half of them may be unknown, as any sign may look like a letter. */
function beginsLike(letters: string, title: string): boolean {
  const start = letters.slice(0, title.length);
  const isAlike = [...title].every((letter, index) => start[index] === letter || start[index] === '?');
  return isAlike && start.replaceAll('?', '').length * 2 > title.length;
}

const TITLES = [...Object.values(SPACE_TITLES), ...SECTIONS.map(({ title }) => title)];
const SPACES = new RegExp(`^\\s*#+\\s+(?:shared )?(?:${TITLES.join('|')})(?:\\s*$|,| of | \\()`, 'i');
const SPACE_LETTERS = new Set(TITLES.map((title) => readLetters(title)));
const HANDOVERS = Object.values(HANDOVER_HEADINGS).map((title) => readLetters(title.split(',', 1)[0] ?? ''));

/** Headings of a hand-over stand without signs in later texts of a window. */
function isOurs(line: string): boolean {
  const start = line.slice(0, 400);
  const readings = ['', '?'].map((unknown) => readLetters(start.replaceAll('?', ''), unknown));
  if (readings.some((letters) => HANDOVERS.some((title) => beginsLike(letters, title)))) return true;
  if (SPACES.test(start.normalize('NFKC'))) return true;
  if (!/^[^\p{L}\p{N}]*[#＃]/u.test(dropMarkup(start))) return false;

  const [letters = ''] = readings;
  return (
    SPACE_LETTERS.has(letters.replace(/^shared/, '')) || /^(?=.*messages)(?=.*(?:person|agent))/.test(letters)
  );
}

/** Text of a pad in which no line can be taken for one of our headings: such a line begins with a backslash. */
export const escapeHeadings = (text: string): string =>
  text
    .split('\n')
    .map((line) => (!line.trimStart().startsWith('\\') && isOurs(line) ? line.replace(/\S/, '\\$&') : line))
    .join('\n');
