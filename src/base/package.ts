import { dirname, join } from 'node:path';
import { exists, tryReadText } from './fs/index.ts';

declare const SCRATCHPAD_VERSION: string | undefined;

/** The folder of the installed package: the nearest one above this module, in `src` or in a bundle, that has its files. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!exists(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** The package's version: put in by the build, read from package.json when run from source. */
export const VERSION: string =
  typeof SCRATCHPAD_VERSION === 'string'
    ? SCRATCHPAD_VERSION
    : (JSON.parse(tryReadText(join(packageFolder(), 'package.json'), 'package') ?? '') as { version: string })
        .version;
