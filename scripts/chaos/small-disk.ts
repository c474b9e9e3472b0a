import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Mounts a small file system in memory on a folder. @returns whether this is permitted, which it often is not in a
 * container
 */
export function mount(dir: string, options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/** Fills the disk except for `free` pages. */
export function fill(path: string, free: number): void {
  const page = Buffer.alloc(4096);
  let pages = 0;
  for (; ; pages += 1) {
    try {
      writeFileSync(path, page, { flag: 'a' });
    } catch {
      break;
    }
  }
  rmSync(path);
  writeFileSync(path, Buffer.alloc(Math.max(0, pages - free) * 4096));
}

/** Uses up the inodes of the disk except for `free`. */
export function fillNames(dir: string, free: number): void {
  mkdirSync(dir);
  const names: string[] = [];
  for (;;) {
    const name = join(dir, String(names.length));
    try {
      writeFileSync(name, '');
    } catch {
      break;
    }
    names.push(name);
  }
  for (const name of names.slice(Math.max(0, names.length - free))) rmSync(name);
}
