import { readFileSync } from 'node:fs';
import { join } from 'node:path';

declare const SCRATCHPAD_VERSION: string | undefined;

/** The package's version: put in by the build, read from package.json when run from source. */
export const VERSION: string =
  typeof SCRATCHPAD_VERSION === 'string'
    ? SCRATCHPAD_VERSION
    : (
        JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
          version: string;
        }
      ).version;
