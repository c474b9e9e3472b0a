import { join } from 'node:path';
import { excludeLine } from '../git/exclude.ts';
import { gitPlace } from '../git/place.ts';
import type { Target } from './change.ts';
import { markedBlock } from './marked-block.ts';

/**
 * Keeps a person's own files out of commits, through the clone's own exclude file.
 * @param name the name of the installation, which marks its part of the file
 * @param paths absolute
 * @returns `undefined` outside a work tree, or if none of the files is in it
 */
export function excludeTarget(name: string, root: string, paths: readonly string[]): Target | undefined {
  const place = gitPlace(root);
  if (place === undefined) return undefined;
  const lines = paths.flatMap((path) => excludeLine(place.top, path) ?? []);
  if (lines.length === 0) return undefined;
  const markers = { open: `# scratchpad install ${name}`, close: `# end of scratchpad install ${name}` };
  const file = join(place.commonDir, 'info', 'exclude');
  return { ...markedBlock(file, markers, `${lines.join('\n')}\n`), rewritten: true };
}
