import { posix } from 'node:path';
import { gitCall } from './shell.ts';
import type { TrailStep } from './steps.ts';

const SHORT = /^(?:-s|-sb|-bs|--short|--porcelain(?:=v1|=1)?)$/;
/** Options that leave files out, or change the form. */
const PARTIAL = /^(?:-uno|--untracked-files=no|-z|--porcelain=(?:v2|2)|--ignored)/;
/** The first column may be lost where a host trims the output. */
const ENTRY = /^(?:[ MTADRCU?!][MTADRCU?!]|[MTADRCU][ ]|[MTADRCU]) (?:.+ -> )?(.+)$/;
const KNOWN =
  /^(?:$|\t| {2}\(|On branch |HEAD detached |Your branch |and have |Changes |Untracked files:|Unmerged paths:|You have unmerged|nothing (?:to commit|added)|no changes added)/;
const LISTED =
  /^\t(?:(?:new file|modified|deleted|renamed|copied|typechange|both \w+|\w+ by (?:us|them)):\s+)?(?:.+ -> )?(.+)$/;

/**
 * The paths that a `git status` of the whole repository lists as changed or untracked, relative to `here`, the
 * directory it ran in; undefined unless the step is just that, with its whole output.
 */
export function listedByStatus(step: TrailStep & { type: 'done' }): string[] | undefined {
  const [segment, ...others] = step.segments;
  if (segment === undefined || others.length > 0 || segment.piped || step.outcome !== 'ok') return undefined;
  const call = gitCall(segment);
  if (call?.verb !== 'status') return undefined;
  if (call.rest.some((word) => !word.startsWith('-') || PARTIAL.test(word))) return undefined;
  const lines = step.output.split('\n').map((line) => line.trimEnd());
  return call.rest.some((word) => SHORT.test(word)) ? short(lines) : long(lines);
}

function short(lines: readonly string[]): string[] | undefined {
  const paths: string[] = [];
  for (const line of lines) {
    if (line === '' || line.startsWith('## ')) continue;
    const [, path] = ENTRY.exec(line) ?? [];
    if (path === undefined) return undefined;
    paths.push(unquoted(path));
  }
  return paths;
}

function long(lines: readonly string[]): string[] | undefined {
  // A line of any other form may stand for what a host has cut out.
  if (!/^(?:On branch|HEAD detached) /.test(lines[0] ?? '') || !lines.every((line) => KNOWN.test(line)))
    return undefined;
  return lines.flatMap((line) => LISTED.exec(line)?.[1] ?? []).map(unquoted);
}

const unquoted = (path: string): string => path.replace(/^"(.*)"$/, '$1').replace(/\\(["\\])/g, '$1');

/** Whether a list of a status names a file or a folder around it. `here` is its directory relative to the workspace. */
export function isListed(listed: readonly string[], path: string, here: string): boolean {
  return listed.some((name) => {
    const folder = name.endsWith('/');
    const plain = name.replace(/\/$/, '');
    return [plain, posix.join(here, plain)].some((one) => {
      const wanted = folder ? prefixes(path) : [path];
      // The workspace may be a folder of the repository.
      return wanted.some((part) => part === one || one.endsWith(`/${part}`) || part.endsWith(`/${one}`));
    });
  });
}

/** The folders of a path: `a/b/c` is in `a` and `a/b`. */
function prefixes(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
