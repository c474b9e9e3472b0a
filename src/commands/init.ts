import { excludeFileOf, excludeFromGit } from '../git/exclude.ts';
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
    tracked: options.tracked,
  }).change(() => []);
  claim(workspace.root, invocation.now, invocation.env);
  invocation.warn(done.notices);
  if (!options.tracked) excludeFromGit(workspace.root, [PAD_FILE, `${DATA_DIR}/`]);
  const excluded = options.tracked ? undefined : excludeFileOf(workspace.root);
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
