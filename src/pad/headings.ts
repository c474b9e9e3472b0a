import { SPACE_NAMES, type SpaceName } from './markers.ts';

/** What people call a plan, notes and references, in files that are not ours yet. */
export const SPACE_HEADINGS: Readonly<Record<SpaceName, readonly string[]>> = {
  plan: 'plan,todo,todos,to do,to-do,tasks,task list,todo list,next steps,aufgaben'.split(','),
  notes: ['notes', 'findings', 'notizen'],
  refs: ['refs', 'references'],
};

interface Heading {
  level: number;
  /** Its words without what surrounds them, in lower case. */
  title: string;
}

export function parseHeadingLine(line: string): Heading | undefined {
  const [, signs = '', words] = /^ {0,3}(#{1,6})[ \t]+(.+)$/.exec(line) ?? [];
  if (words === undefined) return undefined;
  // Numbers, `Current` and `(today)` are no part of the name.
  const title = words
    .toLowerCase()
    .replace(/[ \t]#+[ \t]*$|\([^()]*\)\W*$/g, '')
    .replace(
      /^[^\p{L}]+(?:(?:my|our|the|current|open)\s+)?|^(?:my|our|the|current|open)\s+|[^\p{L}\p{N}]+$/gu,
      '',
    );
  return { level: signs.length, title };
}

/** The space that a heading line such as `## Notes` names. */
export function parseSpaceHeading(line: string): SpaceName | undefined {
  return SPACE_NAMES.find((name) => SPACE_HEADINGS[name].includes(parseHeadingLine(line)?.title ?? ''));
}
