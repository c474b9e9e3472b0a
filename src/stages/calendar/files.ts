import { isAbsolute, join, resolve } from 'node:path';
import { isInside, list, realPathOf, type Stats, tryStat } from '../../fs/index.ts';

const MOST_FILES = 50;

export interface CalendarFile {
  /** As in the config, or its folder and name. */
  name: string;
  /** Links resolved. */
  path: string;
  /** Changes when the file does. */
  stamp: string;
}

/**
 * The calendar files named in a config, including those in named folders.
 *
 * @param named relative to the workspace, absolute, or `~/…`; a relative one may not lead out of the workspace
 * @param standard files that need not exist
 */
export function calendarFiles(
  workspace: string,
  named: readonly string[],
  standard: readonly string[],
  home: string | undefined,
): { files: CalendarFile[]; problems: string[] } {
  const files: CalendarFile[] = [];
  const problems: string[] = [];
  for (const name of named) {
    const given = home !== undefined && name.startsWith('~/') ? join(home, name.slice(2)) : name;
    const path = realPathOf(resolve(workspace, given));
    if (path === undefined) {
      if (!standard.includes(name)) problems.push(`${name}: no such file`);
    } else if (!isAbsolute(given) && !isInside(realPathOf(workspace) ?? workspace, path)) {
      problems.push(`${name}: leads out of the workspace`);
    } else {
      const stat = tryStat(path);
      if (stat?.isDirectory()) files.push(...inFolder(name, path, problems));
      else if (stat) files.push({ name, path, stamp: stampOf(stat) });
    }
  }
  if (files.length > MOST_FILES) problems.push(`more than ${MOST_FILES} calendars: the rest was not read`);
  return { files: files.slice(0, MOST_FILES), problems };
}

function inFolder(name: string, folder: string, problems: string[]): CalendarFile[] {
  let names: string[] = [];
  try {
    names = list(folder).filter((file) => /\.ics$/i.test(file));
  } catch {
    problems.push(`${name}: cannot be listed`);
  }
  return names
    .sort()
    .slice(0, MOST_FILES + 1)
    .flatMap((file) => {
      const path = join(folder, file);
      // A link could lead anywhere.
      const stat = realPathOf(path) === path ? tryStat(path) : undefined;
      return stat?.isFile() ? [{ name: join(name, file), path, stamp: stampOf(stat) }] : [];
    });
}

function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return [size, mtimeMs, ctimeMs, ino].join(' ');
}
