import { join } from 'node:path';
import { tryReadText } from './fs/index.ts';

declare const SCRATCHPAD_VERSION: string | undefined;

/** The package's version: put in by the build, read from package.json when run from source. */
export const VERSION: string =
  typeof SCRATCHPAD_VERSION === 'string'
    ? SCRATCHPAD_VERSION
    : (
        JSON.parse(tryReadText(join(import.meta.dirname, '../package.json'), 'package') ?? '') as {
          version: string;
        }
      ).version;
