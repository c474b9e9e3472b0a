import { excludeFileOf, excludeFromGit } from '../git/exclude.ts';
import { trackWithDriver } from '../git/merge-driver.ts';
import { programOf, shellLine } from '../install/program.ts';
import { isKeptBeside } from '../session/beside.ts';
import { FileStore } from '../session/file-store.ts';
import { isTracked } from '../session/stamp.ts';
import { DATA_DIR, PAD_FILE } from '../session/workspace.ts';
import { claim } from '../trust/provenance.ts';
import type { Invocation } from './invocation.ts';
import { type Opened, openSession } from './open.ts';

export interface InitOptions {
  tracked?: boolean;
}

/**
 * Creates the pad in the current or the named directory, never in a directory above. Shape with `--json`: `{pad,
 * created, excludedBy}`.
 */
export async function init(invocation: Invocation, options: InitOptions): Promise<void> {
  const here = { ...invocation.options, workspace: invocation.options.workspace ?? '.' };
  const opened = await openSession({ ...invocation, options: here });
  const { store } = opened;
  const { exists } = await store.read();
  const excluded = await makeWorkspace(opened, invocation, options);
  const lines = [
    `${exists ? 'exists already' : 'created'}: ${store.paths.pad}`,
    ...(excluded === undefined ? [] : [`excluded from commits by ${excluded}`]),
    ...(options.tracked ? ['to commit: git add SCRATCHPAD.md .gitattributes'] : []),
    ...(exists
      ? []
      : [
          '',
          'next: scratchpad plan set "1. …"    keep a plan',
          '      scratchpad assemble           read the last session and fill in the state block',
        ]),
  ];
  invocation.done({ pad: store.paths.pad, created: !exists, excludedBy: excluded ?? null }, lines.join('\n'));
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
  { tracked }: InitOptions = {},
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
