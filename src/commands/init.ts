import { dirname, join, relative, sep } from 'node:path';
import { append, ensureFolder, readText } from '../fs/index.ts';
import { gitPlace } from '../git/place.ts';
import { FileStore } from '../session/file-store.ts';
import { DATA_DIR, PAD_FILE } from '../session/workspace.ts';
import { claim } from '../trust/provenance.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

export interface InitOptions {
  tracked?: boolean;
}

/**
 * Creates the pad in the current directory, or the one named: never in a directory above.
 * Shape with `--json`: `{pad, created, excludedBy}`.
 */
export async function init(invocation: Invocation, options: InitOptions): Promise<void> {
  const here = { ...invocation.options, workspace: invocation.options.workspace ?? '.' };
  const { workspace, config, store } = await openSession({ ...invocation, options: here });
  const { exists } = await store.read();
  const done = await new FileStore(workspace.root, store.paths.session, {
    primary: config.primarySession,
  }).change(() => []);
  claim(workspace.root, invocation.now, invocation.env);
  invocation.warn(done.notices);
  const excluded = options.tracked ? undefined : excludeFromGit(workspace.root);
  const lines = [
    `${exists ? 'already there' : 'created'}: ${store.paths.pad}`,
    ...(excluded === undefined ? [] : [`kept out of commits by ${excluded}`]),
    ...(exists
      ? []
      : [
          '',
          'next: scratchpad plan set "1. …"    keep a plan',
          '      scratchpad assemble           read the last session and fill the state block',
        ]),
  ];
  invocation.done({ pad: store.paths.pad, created: !exists, excludedBy: excluded ?? null }, lines.join('\n'));
}

/**
 * A mood is never committed by accident: in a git work tree the pad and its data go into
 * `info/exclude`, which is nobody's file but this clone's.
 *
 * @returns the exclude file, `undefined` outside a work tree
 */
function excludeFromGit(root: string): string | undefined {
  const tree = gitPlace(root);
  if (!tree) return undefined;
  const file = join(tree.commonDir, 'info', 'exclude');
  const prefix = relative(tree.top, root).split(sep).filter(Boolean);
  const wanted = [PAD_FILE, `${DATA_DIR}/`].map((name) => `/${[...prefix.map(escapeGlob), name].join('/')}`);
  const before = readText(file, 'git') ?? '';
  const present = new Set(before.split(/\r?\n/));
  const missing = wanted.filter((line) => !present.has(line));
  if (missing.length > 0) {
    ensureFolder(dirname(file));
    append(file, 'git', `${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
  }
  return file;
}

function escapeGlob(part: string): string {
  return part.replace(/[\\*?[\] !#]/g, '\\$&');
}
