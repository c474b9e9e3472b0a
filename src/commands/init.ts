import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { FileStore } from '../session/file-store.ts';
import { ioError } from '../session/files.ts';
import { DATA_DIR, PAD_FILE } from '../session/workspace.ts';
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
  for (const notice of done.notices) invocation.note(`warning: ${notice}`);
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
  invocation.result(
    { pad: store.paths.pad, created: !exists, excludedBy: excluded ?? null },
    lines.join('\n'),
  );
}

/**
 * A mood is never committed by accident: in a git work tree the pad and its data go into
 * `info/exclude`, which is nobody's file but this clone's.
 *
 * @returns the exclude file, `undefined` outside a work tree
 */
function excludeFromGit(root: string): string | undefined {
  const tree = workTreeOf(root);
  if (!tree) return undefined;
  const file = join(tree.commonDir, 'info', 'exclude');
  const prefix = relative(tree.root, root).split(sep).filter(Boolean);
  const wanted = [PAD_FILE, `${DATA_DIR}/`].map((name) => `/${[...prefix.map(escapeGlob), name].join('/')}`);
  try {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const present = new Set(before.split(/\r?\n/));
    const missing = wanted.filter((line) => !present.has(line));
    if (missing.length > 0) {
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
    }
    return file;
  } catch (error) {
    throw ioError(error, 'cannot write', file);
  }
}

/** The work tree that `root` lies in and the directory that its worktrees share (gitrepository-layout(5)). */
function workTreeOf(root: string): { root: string; commonDir: string } | undefined {
  for (let at = resolve(root); ; at = dirname(at)) {
    const git = join(at, '.git');
    const stats = statSync(git, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return { root: at, commonDir: git };
    if (stats?.isFile()) {
      const target = /^gitdir: (.*)$/m.exec(readFileSync(git, 'utf8'))?.[1]?.trim();
      if (target === undefined) return undefined;
      const gitDir = resolve(at, target);
      const common = join(gitDir, 'commondir');
      return {
        root: at,
        commonDir: existsSync(common) ? resolve(gitDir, readFileSync(common, 'utf8').trim()) : gitDir,
      };
    }
    if (dirname(at) === at) return undefined;
  }
}

function escapeGlob(part: string): string {
  return part.replace(/[\\*?[\] !#]/g, '\\$&');
}
