import { dirname, join, resolve, sep } from 'node:path';
import { exists, realPathOf } from '../fs/index.ts';

/** What makes a subdirectory a project of its own. */
const OWN_PROJECT = ['SCRATCHPAD.md', '.scratchpad', '.git'];

/** Decides whether a session that ran in some directory belongs to a workspace. */
export class WorkspaceMatch {
  /** The workspace as given and with symbolic links resolved. */
  readonly names: readonly string[];
  readonly #real: string;
  readonly #known = new Map<string, boolean>();

  constructor(workspace: string) {
    const given = resolve(workspace);
    this.#real = realPath(given);
    this.names = [...new Set([given, this.#real])];
  }

  /**
   * Whether a directory is the workspace itself, by any of its names, or inside it and not a project of its
   * own.
   */
  owns(cwd: string | undefined): boolean {
    if (cwd === undefined) return false;
    const known = this.#known.get(cwd);
    if (known !== undefined) return known;
    const owned = this.#decide(resolve(cwd));
    this.#known.set(cwd, owned);
    return owned;
  }

  #decide(cwd: string): boolean {
    if (this.names.includes(cwd)) return true;
    const real = realPath(cwd);
    if (real === this.#real) return true;
    const root = this.#real.endsWith(sep) ? this.#real : this.#real + sep;
    if (!real.startsWith(root) || !exists(real)) return false;
    for (let at = real; at !== this.#real && at !== dirname(at); at = dirname(at)) {
      if (OWN_PROJECT.some((name) => exists(join(at, name)))) return false;
    }
    return true;
  }
}

function realPath(path: string): string {
  return realPathOf(path) ?? path;
}
