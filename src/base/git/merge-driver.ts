import { basename, dirname, join } from 'node:path';
import { append, exists, readText, writeAtomically } from '../fs/index.ts';
import { excludeFileOf, excludeLine } from './exclude.ts';
import { gitPlace } from './place.ts';

const NAME = 'scratchpad';
const SECTION = `[merge "${NAME}"]`;

/**
 * Makes git merge a file with our command: a line in `.gitattributes`, which is committed, and the command in
 * the clone's own config, which is not.
 * @param command a shell command, to which git appends the three versions
 */
export function trackWithDriver(path: string, command: string): void {
  const place = gitPlace(dirname(path));
  if (place === undefined) return;
  const attributes = join(dirname(path), '.gitattributes');
  addLine(attributes, `${basename(path)} merge=${NAME}`);
  const config = join(place.commonDir, 'config');
  if (!hasDriver(path)) {
    const quoted = `${command} %O %A %B`.replace(/["\\]/g, '\\$&');
    append(config, 'git', `${SECTION}\n\tname = the spaces of a scratchpad\n\tdriver = "${quoted}"\n`);
  }
  const file = excludeFileOf(dirname(path));
  const excluded = excludeLine(place.top, path);
  const before = file === undefined ? undefined : readText(file, 'git');
  if (file === undefined || before === undefined || excluded === undefined) return;
  const after = before
    .split('\n')
    .filter((line) => line !== excluded)
    .join('\n');
  if (after !== before) writeAtomically(file, after);
}

/** Whether this clone's config defines the driver that `.gitattributes` names. */
export function hasDriver(path: string): boolean {
  const place = gitPlace(dirname(path));
  return place !== undefined && (readText(join(place.commonDir, 'config'), 'git') ?? '').includes(SECTION);
}

function addLine(path: string, line: string): void {
  const before = exists(path) ? (readText(path, 'git') ?? '') : '';
  if (before.split(/\r?\n/).includes(line)) return;
  append(path, 'git', `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`);
}
