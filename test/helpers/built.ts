import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Runs once before all tests: says what to do instead of failing in every test that runs the program. */
export default function checkBuild(): void {
  if (existsSync(join(ROOT, 'dist/cli/main.cjs'))) return;
  throw new Error(
    'The program has not been built, and many tests run it: npm run build, or npm test, which builds',
  );
}
