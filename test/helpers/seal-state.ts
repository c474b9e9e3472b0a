import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDuration } from '../../src/base/text/durations.ts';
import { parsePad, readRegion } from '../../src/pad/document.ts';
import { keepState } from '../../src/session/state-file.ts';
import { getSessionPaths } from '../../src/session/workspace.ts';

/** Makes the state block that a test wrote by hand into a workspace's pad the one that was assembled there last. */
export function sealState(root: string): string {
  const block = readRegion(parsePad(readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8')), 'state');
  const [, updated = '', count, unit] = /Updated: (\S+) -->\n<!-- TTL: (\d+) (.)/.exec(block) ?? [];
  const ttlMs = parseDuration(`${count}${unit}`);
  const sections = block.split('\n## ').slice(1);
  const paths = getSessionPaths(root, 'main');
  mkdirSync(paths.dir, { recursive: true });
  const read = sections.map((section) => {
    const [title = '', ...lines] = section.split('\n').filter((line) => line !== '');
    return { id: title, title, lines: lines.map((text) => ({ text })) };
  });
  keepState(paths, { updated, expires: updated, ttlMs, sections: read }, process.env);
  return root;
}
