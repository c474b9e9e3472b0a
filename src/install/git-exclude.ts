import { join } from 'node:path';
import { excludeLine } from '../git/exclude.ts';
import { gitPlace } from '../git/place.ts';
import type { Target } from './change.ts';
import { markedBlock } from './marked-block.ts';

/**
 * Keeps files of a person's own out of commits, by the exclude file that is nobody's but this clone's.
 * @param name what is installed; its part of the file
 * @param paths absolute
 * @returns `undefined` outside a work tree, or where none of the files lies in it
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
