import { resolve } from 'node:path';
import { writeAtomically } from '../base/fs/index.ts';
import { mergePads } from '../session/merge-pads.ts';
import { type Invocation, readInputFile } from './invocation.ts';

const CONFLICT = 1;

/**
 * Merges two versions of a tracked pad as a git merge driver: the result replaces OURS. Exits 1 if both changed the
 * same lines, which then stand between git's conflict markers.
 */
export function merge(invocation: Invocation, base: string, ours: string, theirs: string): void {
  const read = (path: string): string => readInputFile(resolve(invocation.cwd, path));
  const { text, conflict } = mergePads(read(base), read(ours), read(theirs));
  writeAtomically(resolve(invocation.cwd, ours), text);
  if (conflict) {
    invocation.exitCode = CONFLICT;
    invocation.note('both sides changed the same lines: see the conflict markers');
  }
  invocation.done({ conflict }, '');
}
