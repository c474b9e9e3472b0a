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
  'аaαaɑaᴀaвbßbсcϲcᴄcԁdᴅdеeεeᴇeғfꜰfɡgɢgһhнhʜhіiιiıiɪiјjкkκkᴋkӏlʟlмmᴍmոnηnпnɴnоoοoօoσoᴏoрpρpᴘpгrʀrѕsꜱsтtτtᴛtυuսuᴜuνvѵvᴠvѡwωwᴡwхxχxуyγyʏy'
    .match(/../gu)
    ?.map(([sign = '', letter = '']) => [sign, letter]),
);

const dropMarkup = (text: string): string => text.replace(/<[^<>]{0,200}>|&(?:amp;)*#?\w{1,10};/g, '');

/** The letters of a text as a reader takes them, without marks, tags and entities. */
const readLetters = (text: string): string =>
  dropMarkup(text)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\P{ASCII}/gu, (sign) => ALIKE.get(sign) ?? '')
    .replace(/[^a-z]+/g, '');

const TITLES = [...Object.values(SPACE_TITLES), ...SECTIONS.map(({ title }) => title)];
const SPACES = new RegExp(`^\\s*#+\\s+(?:shared )?(?:${TITLES.join('|')})(?:\\s*$|,| of | \\()`, 'i');
const SPACE_LETTERS = new Set(TITLES.map(readLetters));
const HANDOVERS = Object.values(HANDOVER_HEADINGS).map((title) => readLetters(title.split(',', 1)[0] ?? ''));

/** Headings of a hand-over stand without signs in later texts of a window. */
function isOurs(line: string): boolean {
  const start = line.slice(0, 400);
  const letters = readLetters(start);
  if (HANDOVERS.some((title) => letters.startsWith(title)) || SPACES.test(start.normalize('NFKC')))
    return true;
  return /^[^\p{L}\p{N}]*[#＃]/u.test(dropMarkup(start)) && SPACE_LETTERS.has(letters.replace(/^shared/, ''));
}

/** Text of a pad in which no line can be taken for one of our headings: such a line begins with a backslash. */
export const escapeHeadings = (text: string): string =>
  text
    .split('\n')
    .map((line) => (!line.trimStart().startsWith('\\') && isOurs(line) ? line.replace(/\S/, '\\$&') : line))
    .join('\n');
