import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEachFile } from './cleanup.ts';
import { testDir } from './test-dir.ts';

const mounted: string[] = [];

afterEachFile(() => {
  for (const dir of mounted.splice(0)) execFileSync('umount', ['-l', dir]);
});

/** Whether this machine lets the tests make a small disk: as root, outside of most containers. */
export const canMount = ((): boolean => {
  try {
    smallDisk('64k');
    return true;
  } catch {
    return false;
  }
})();

/** An empty folder on a disk of its own, of this size. */
export function smallDisk(size: string): string {
  const dir = testDir();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir], { stdio: 'ignore' });
  mounted.push(dir);
  return dir;
}

/** Leaves no room on a folder's disk. */
export function fillDisk(dir: string): void {
  for (let size = 65_536; size >= 1; size /= 4) {
    try {
      for (let k = 0; ; k += 1) writeFileSync(join(dir, `filler-${size}-${k}`), Buffer.alloc(size, 'x'));
    } catch {
      // Full.
    }
  }
}
