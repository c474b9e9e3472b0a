import { isAbsolute, join, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import { isInside, list, resolveRealPath, tryStat } from '../base/fs/index.ts';
import { DAY_MS } from '../base/text/durations.ts';
import { expandHome } from '../config/command.ts';
import { SETTINGS } from '../config/settings.ts';
import { readMemoryFile } from '../memory/read.ts';
import type { Agenda, Appointment, StageContext } from './stage.ts';

const LONGEST_MS = 800;

export async function readAgenda(context: StageContext): Promise<Agenda> {
  const { workspace, config, env, now, clock, isForeign = false } = context;
  const named = config.alerts.calendars.filter((name) => !isForeign || /^(?:~|[\\/])/.test(name));
  const { files, problems } = listCalendarFiles(workspace, named, env);
  if (files.length === 0) return { appointments: [], problems };

  // Loaded only where there is a calendar: it is larger than all the rest of an assembly.
  const { readIcs } = await import('./ics.ts');
  const appointments: Appointment[] = [];
  const begun = Date.now();

  for (const { name, path } of files) {
    if (Date.now() - begun > LONGEST_MS) {
      problems.push(`${name}: not read, the calendars before it took too long`);
      continue;
    }

    const found = readMemoryFile(path);
    const reading =
      'reason' in found
        ? { entries: [], problems: [found.reason] }
        : readIcs(found.text, { from: now - DAY_MS, until: now + 2 * DAY_MS }, clock);

    problems.push(...reading.problems.map((problem) => `${name}: ${problem}`));
    appointments.push(...reading.entries.map((entry) => ({ ...entry, calendar: name })));
  }

  return { appointments: sortAppointments(appointments), problems };
}

function sortAppointments(appointments: Appointment[]): Appointment[] {
  const seen = new Set<string>();
  return appointments
    .sort((a, b) => a.start - b.start || (a.summary < b.summary ? -1 : 1))
    .filter(({ start, summary }) => {
      const key = `${start} ${summary}`;
      return !seen.has(key) && seen.add(key);
    });
}

interface CalendarFile {
  name: string;
  path: string;
}

/** Need not exist. */
const STANDARD = SETTINGS.find(({ key }) => key === 'alerts.calendars')?.default as readonly string[];

/** A relative name may not lead out of the workspace. */
function listCalendarFiles(
  workspace: string,
  named: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { files: CalendarFile[]; problems: string[] } {
  const files: CalendarFile[] = [];
  const problems: string[] = [];

  for (const name of named) {
    const expanded = expandHome(name, env);
    const path = resolveRealPath(resolve(workspace, expanded));

    if (path === undefined) {
      if (!STANDARD.includes(name)) problems.push(`${name}: no such file`);
    } else if (!isAbsolute(expanded) && !isInside(resolveRealPath(workspace) ?? workspace, path)) {
      problems.push(`${name}: leads out of the workspace`);
    } else if (tryStat(path)?.isDirectory()) {
      files.push(...listFolderCalendars(name, path, problems));
    } else files.push({ name, path });
  }

  return { files, problems };
}

function listFolderCalendars(name: string, folder: string, problems: string[]): CalendarFile[] {
  const names = attempt(() => list(folder).filter((file) => /\.ics$/i.test(file)));
  if (names === undefined) problems.push(`${name}: cannot be listed`);

  return (
    (names ?? [])
      .sort()
      .map((file) => ({ name: join(name, file), path: join(folder, file) }))
      // A link could lead anywhere.
      .filter(({ path }) => resolveRealPath(path) === path && tryStat(path)?.isFile())
  );
}
