import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealOf } from '../../src/base/trust/seal.ts';
import { contentOf, parsePad } from '../../src/pad/document.ts';

/** Makes the state block that a test wrote by hand into a workspace's pad pass for one that was assembled there. */
export function sealState(root: string): string {
  const pad = parsePad(readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8'));
  const dir = join(root, '.scratchpad/sessions/main');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'state.seal'), sealOf('state', contentOf(pad, 'state'), process.env) ?? '');
  return root;
}
