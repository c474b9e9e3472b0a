import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Host, Place, Program } from './hosts/host.ts';

/** What the second session is given of the first one. */
export interface Arm {
  name: string;
  about: string;
  /** How the second session begins: a new one, the first one resumed, or compacted and resumed. */
  second: 'new' | 'resume' | 'compact';
  /** Written into the host's file of instructions, before the first session. */
  instructions?: string;
  /** Files of the project, before the first session. */
  files?: Record<string, string>;
  /** Commands that install it for the host, in the project, before the first session. */
  run?: string[];
  /** Only for these hosts. */
  hosts?: string[];
  /** What it keeps in the project: changes of these are no edits. */
  notes?: string[];
}

const BUILT_IN: Arm[] = [
  { name: 'nothing', about: 'a new session that is told nothing', second: 'new' },
  { name: 'resume', about: "the host's own resume: the whole conversation", second: 'resume' },
  { name: 'compaction', about: "the host's own compaction, then its resume", second: 'compact' },
  {
    name: 'ours',
    about: 'the scratchpad, installed for the host',
    second: 'new',
    run: ['scratchpad install HOST --yes'],
    notes: ['SCRATCHPAD.md', '.scratchpad/'],
  },
];

const FILES = join(import.meta.dirname, 'arms');
export const USUAL = ['nothing', 'resume', 'compaction', 'paragraph', 'ours'];

/** An arm by its name, or by the file that describes it. @throws Error that names those there are */
export function armOf(name: string): Arm {
  const known = BUILT_IN.find((arm) => arm.name === name);
  if (known) return known;
  const file = name.endsWith('.json') ? resolve(name) : join(FILES, `${name}.json`);
  if (!existsSync(file)) {
    const files = readdirSync(FILES).map((one) => one.replace('.json', ''));
    const names = [...BUILT_IN.map((arm) => arm.name), ...files].join(', ');
    throw new Error(
      `There is no arm ${name}. There are: ${names}; or give a file like ${FILES}/paragraph.json`,
    );
  }
  return { second: 'new', ...(JSON.parse(readFileSync(file, 'utf8')) as Omit<Arm, 'second'>) };
}

/** Whether the arm adds something to the first session, which then is its own. */
export const hasOwnFirst = (arm: Arm): boolean => Boolean(arm.instructions ?? arm.files ?? arm.run);

/** Why the arm cannot run with this host. */
export function unable(arm: Arm, host: Host): string | undefined {
  if (arm.hosts && !arm.hosts.includes(host.name)) return `is for ${arm.hosts.join(', ')} only`;
  if (arm.second === 'compact' && host.compact === undefined)
    return `${host.name} has no compaction without a person`;
  return undefined;
}

/** The programs that the agent finds: the host and the scratchpad, before the person's own PATH. */
export function binFolder(folder: string, host: Host, program: Program, scratchpad: string): string {
  const bin = join(folder, 'bin');
  if (existsSync(bin)) return bin;
  mkdirSync(bin, { recursive: true });
  const call = [program.command, ...program.args].map((word) => `'${word}'`).join(' ');
  writeFileSync(join(bin, host.command), `#!/bin/sh\nexec ${call} "$@"\n`, { mode: 0o755 });
  symlinkSync(scratchpad, join(bin, 'scratchpad'));
  return bin;
}

/** Puts the arm into the project and the home, before the first session. @throws Error with what a command said */
export function setUp(arm: Arm, host: Host, { home, work }: Place, env: Record<string, string>): void {
  if (arm.instructions) writeFileSync(join(work, host.instructions), `${arm.instructions}\n`);
  for (const [path, text] of Object.entries(arm.files ?? {})) {
    mkdirSync(join(work, path, '..'), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  // Login shells, which some hosts start, set their PATH again.
  writeFileSync(join(home, '.profile'), `PATH='${env.PATH ?? ''}'\n`);
  for (const command of arm.run ?? []) {
    const said = command.replace('HOST', host.name);
    const done = spawnSync('sh', ['-c', said], { cwd: work, env, encoding: 'utf8', timeout: 300_000 });
    if (done.status !== 0) {
      throw new Error(
        `The arm "${arm.name}" could not be set up: \`${said}\` said:\n${done.stderr || done.stdout}`,
      );
    }
  }
}

export const pathWith = (bin: string): string =>
  [bin, join(process.execPath, '..'), process.env.PATH ?? ''].join(delimiter);
