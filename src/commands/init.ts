import { dirname, join, resolve } from 'node:path';
import { DATA_DIR, exists, PAD_FILE, writeAtomically } from '../base/fs/index.ts';
import { excludeFileOf, excludeFromGit } from '../base/git/exclude.ts';
import { trackWithDriver } from '../base/git/merge-driver.ts';
import { gitPlace, mainTopOf } from '../base/git/place.ts';
import { claim } from '../base/trust/provenance.ts';
import { programOf, shellLine } from '../hosts/install/program.ts';
import { FileStore } from '../session/file-store.ts';
import { mergePads } from '../session/merge-pads.ts';
import { isTracked } from '../session/reconcile.ts';
import { isKeptBeside } from '../session/tracked.ts';
import { command } from './command.ts';
import { type Invocation, readInput } from './invocation.ts';
import { type Opened, openSession } from './open.ts';

/** Creates the pad in the current or the named directory, never in a directory above. */
export const init = command({
  takes: { '--tracked': 'in a git work tree: have git track the pad and merge it space by space' },
  examples: ['scratchpad init', 'scratchpad init --workspace ~/agent'],
  run: async (call, { tracked }) => {
    const options = { ...call.options, workspace: call.options.workspace ?? '.' };
    const opened = await openSession({ ...call, options }, { anywhere: true });
    const { store } = opened;
    const { root } = opened.workspace;
    const { exists: there } = await store.read();
    const { pad } = store.paths;
    const hadFile = exists(pad);
    if (!there) call.warn([...(tracked ? [] : worktreeWarning(root)), ...folderWarning(root)]);
    const excluded = await makeWorkspace(opened, call, tracked);
    const made = !there ? 'created' : hadFile ? 'exists already' : 'written anew from its history';
    call.done({ pad, created: !there, excludedBy: excluded ?? null }, [
      `${made}: ${pad}`,
      excluded !== undefined && `excluded from commits by ${excluded}`,
      tracked && 'to commit: git add SCRATCHPAD.md .gitattributes',
      !there && [
        '',
        hostsIn(root).map(
          ([host, sign]) =>
            `next: scratchpad install ${host.padEnd(11)}  show it to the agent (${sign} is here)`,
        ),
        'next: scratchpad todo "…"             add a step to the plan; scratchpad done 1 finishes it',
        'next: scratchpad assemble             read the last session and fill in the state block',
      ],
    ]);
  },
});

/** What a host leaves in the projects that it works in. */
const SIGNS: readonly (readonly [host: string, signs: readonly string[]])[] = [
  ['claude-code', ['.claude', 'CLAUDE.md']],
  ['codex', ['.codex']],
  ['gemini-cli', ['.gemini', 'GEMINI.md']],
  ['openclaw', ['SOUL.md', 'HEARTBEAT.md']],
];

/** The hosts that work in a folder, each with the file that shows it. */
export function hostsIn(root: string): (readonly [host: string, sign: string])[] {
  return SIGNS.flatMap(([host, signs]) => {
    const sign = signs.find((name) => exists(join(root, name)));
    return sign === undefined ? [] : [[host, sign] as const];
  });
}

/** A pad of its own takes a linked work tree away from the memory of its repository, and goes when it is removed. */
function worktreeWarning(root: string): string[] {
  const place = gitPlace(root);
  const main = place && mainTopOf(place);
  if (main === undefined) return [];
  const instead = exists(join(main, DATA_DIR))
    ? `without one it has the notes and refs of ${main}, and a plan of its own`
    : `scratchpad init in ${main} makes one that all its work trees share`;
  return [`this is a linked work tree: its scratchpad goes when it is removed; ${instead}`];
}

/** A pad in a folder of a repository is not that of the repository. */
function folderWarning(root: string): string[] {
  const top = gitPlace(root)?.top;
  if (top === undefined) {
    let above = dirname(root);
    while (!exists(join(above, PAD_FILE)) && above !== dirname(above)) above = dirname(above);
    const seen = join(above, PAD_FILE);
    return exists(seen)
      ? [`there is a scratchpad above: ${seen}; it is not seen from this folder any more`]
      : [];
  }
  if (top === root) return [];
  const whole = join(top, PAD_FILE);
  const instead = exists(whole)
    ? `the repository's is ${whole}, and is not seen from this folder any more`
    : `one for all of the repository would be ${whole}`;
  return [`this folder is inside a repository: its scratchpad is for this folder alone; ${instead}`];
}

/**
 * Creates a workspace with a pad, excluded from commits unless it is to be tracked, so that a mood is never
 * committed by accident.
 *
 * @returns the exclude file of this clone, `undefined` outside a work tree
 */
export async function makeWorkspace(
  { workspace: { root }, config, store }: Opened,
  { now, env, warn }: Pick<Invocation, 'now' | 'env' | 'warn'>,
  tracked = false,
): Promise<string | undefined> {
  // A pad that came with a clone is tracked already.
  const asTracked = tracked || isTracked((await store.read()).document) || isKeptBeside(store.paths);
  const pad = new FileStore(root, store.paths.session, {
    primary: config.primarySession,
    tracked: asTracked,
  });
  const { notices } = await pad.change(() => []);
  claim(root, now, env);
  warn(notices);
  if (asTracked) {
    const { command, args } = programOf(process.argv[1] ?? '', env);
    trackWithDriver(store.paths.pad, shellLine([command, ...args, 'merge']));
    return undefined;
  }
  excludeFromGit(root, [PAD_FILE, `${DATA_DIR}/`]);
  return excludeFileOf(root);
}

const CONFLICT = 1;

/** The result replaces OURS; lines that both changed stand between git's conflict markers. */
export const merge = command({
  about: 'merge two versions of a tracked pad, as a git merge driver; exits 1 on a conflict',
  takes: {
    '<base>': 'the common ancestor',
    '<ours>': 'one version; the result replaces it',
    '<theirs>': 'the other version',
  },
  examples: ['scratchpad merge base.md ours.md theirs.md'],
  run: (call, { base, ours, theirs }) => {
    const read = (path: string): string => readInput(resolve(call.cwd, path)).toString();
    const { text, conflict } = mergePads(read(base), read(ours), read(theirs));
    writeAtomically(resolve(call.cwd, ours), text);
    if (conflict) {
      call.exitCode = CONFLICT;
      call.note('both sides changed the same lines: see the conflict markers');
    }
    call.done({ conflict }, '');
  },
});
