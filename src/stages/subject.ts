import { tellingOf, wordsOf } from './common-words.ts';
import type { StageContext } from './stage.ts';

const NOTES_READ = 14;
/** A name is a word or two. */
const LONGEST_NAME = 32;
const HEADING = /^#{2,4}\s+([^#:,]{2,60}?)\s*(?::.*)?$/;
/** `- **chorus**: classifies recordings`: how lists of projects and people begin. */
const LISTED = /^\s*[-*+]\s+\*\*([^*]{2,60})\*\*\s*(?::|—|–|-)/;
/** Of agents' words and tools' input the beginning tells what they are about. */
const LONGEST_LISTENED = 600;
const LONGEST_SAID = 4000;
const SPOKEN_OF = 3;
/** Headings under which anything may stand. */
const HEADS_ANYTHING = new Set(
  'decisions errands health home ideas inbox lab links log mail meetings notes ops people planning plans preferences projects questions reading standup summary tasks todo work'.split(
    ' ',
  ),
);

/**
 * The project, or whatever the memory files have a heading for, that a window of messages is
 * about: a name that the person used and that goes on being spoken of. Of several the one that the most messages have.
 */
export function subjectOf(context: StageContext): { name: string; why: string } | undefined {
  const { messages, facts } = context;
  const heard = messages.map(({ role, content }) => ({
    human: role === 'user',
    words: new Set(
      wordsOf(content.slice(0, role === 'user' ? LONGEST_SAID : LONGEST_LISTENED)).flatMap(parts),
    ),
  }));
  const opened = new Set(wordsOf((facts?.opening ?? '').slice(0, LONGEST_SAID)).flatMap(parts));
  let best: { name: string; count: number } | undefined;
  for (const name of namesIn(context)) {
    const words = wordsOf(name);
    if (!words.every((word) => tellingOf(word) >= 1)) continue;
    const has = (said: ReadonlySet<string>): boolean => words.every((word) => said.has(word));
    const count = heard.filter((message) => has(message.words)).length;
    const named = has(opened) || heard.some((message) => message.human && has(message.words));
    if (named && count >= SPOKEN_OF && count > (best?.count ?? 0)) best = { name, count };
  }
  return best && { name: best.name, why: `a name in memory, in ${best.count} messages` };
}

/** `~/play/lanternfish/src` speaks of lanternfish, too. */
function parts(word: string): string[] {
  return /[/._-]/.test(word) ? [word, ...word.split(/[/._-]+/)] : [word];
}

/** The newest first, each once. */
function namesIn({ notes, linesOf }: StageContext): Set<string> {
  const names = new Map<string, string>();
  const files = ['MEMORY.md', ...notes.slice(0, NOTES_READ).map(({ path }) => path)];
  for (const line of files.flatMap(linesOf)) {
    const name = (HEADING.exec(line)?.[1] ?? LISTED.exec(line)?.[1] ?? '').trim();
    if (
      name === '' ||
      HEADS_ANYTHING.has(name.toLowerCase()) ||
      name.length > LONGEST_NAME ||
      wordsOf(name).length > 3
    )
      continue;
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  return new Set(names.values());
}
