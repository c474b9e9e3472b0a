import { SPACE_NAMES, type SpaceName } from './markers.ts';

const PLAN_HEADINGS =
  'plan, action plan, todo, todos, to do, to dos, tasks, task list, todo list, to do list, checklist, next steps, action items, aufgaben';

/** Names of a plan, notes and references in files that are not ours yet. */
export const SPACE_HEADINGS: Readonly<Record<SpaceName, readonly string[]>> = {
  plan: PLAN_HEADINGS.split(', '),
  notes: ['notes', 'findings', 'notizen'],
  refs: ['refs', 'references'],
};

export function parseHeadingLine(line: string): { level: number; title: string } | undefined {
  const [, signs = '', words] = /^ {0,3}(#{1,6})[ \t]+(.+)$/.exec(line) ?? [];
  if (words === undefined) return undefined;
  // Numbers, `Current` and `(today)` are no part of the name.
  const title = words
    .toLowerCase()
    .replaceAll('-', ' ')
    .replace(/[ \t]#+[ \t]*$|\([^()]*\)\W*$/g, '')
    .replace(
      /^[^\p{L}]+(?:(?:my|our|the|current|open)\s+)?|^(?:my|our|the|current|open)\s+|[^\p{L}\p{N}]+$/gu,
      '',
    );
  return { level: signs.length, title };
}

const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;

/** Returns a line as it is, but as a heading with signs if it names a space and is underlined with `=` or `-`. */
export function readHeading(line: string, below = ''): { line: string; isUnderlined: boolean } {
  const heading = `${below.includes('=') ? '#' : '##'} ${line.trim()}`;
  const isUnderlined =
    UNDERLINE.test(below) && /^ {0,3}\p{L}/u.test(line) && parseSpaceHeading(heading) !== undefined;
  return { line: isUnderlined ? heading : line, isUnderlined };
}

/** The space that a heading line such as `## Notes` names. */
export const parseSpaceHeading = (line: string): SpaceName | undefined =>
  SPACE_NAMES.find((name) => SPACE_HEADINGS[name].includes(parseHeadingLine(line)?.title ?? ''));
