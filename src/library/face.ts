import { adaptError, getMessage, ScratchpadError, usageError } from '../base/errors.ts';
import { Sessions as CoreSessions } from '../core/sessions.ts';
import { findWorkspace } from '../session/workspace.ts';

/**
 * The same object with functions that throw errors in terms of the API instead of the command line.
 * @param name what programs call it
 * @param inner functions of the object that are not part of the API
 */
export function wrapLibrary<T extends object>(
  name: string,
  object: T,
  inner: ReadonlySet<unknown> = new Set(),
): T {
  return new Proxy(object, {
    get(target, key) {
      if (inner.has(key)) return undefined;

      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function' || key === 'constructor') return value;

      return (...args: unknown[]) => {
        const done: unknown = value.apply(target, args);
        if (!(done instanceof Promise)) return done;
        return done.catch((error: unknown) => {
          throw toLibraryError(error, `${name}.${String(key)}`);
        });
      };
    },
  });
}

/** An error in terms of the API; for programs without types a wrong argument is one, too. */
export function toLibraryError(error: unknown, called: string): unknown {
  if (error instanceof ScratchpadError) return adaptError(error, 'call');
  if (!(error instanceof TypeError)) return error;
  return usageError(`${called} was called with a wrong argument`, {
    expected: 'arguments of the types that it declares',
    found: getMessage(error),
    cause: error,
  });
}

/** The sessions of a workspace. Parent and child are independent once the child exists. */
export class Sessions extends CoreSessions {
  /** @param options `archiveMs`: how long archived sessions are kept */
  constructor(root: string, options: { primary?: string; now?: () => number; archiveMs?: number } = {}) {
    super(requireWorkspace(root), options);
    // biome-ignore lint/correctness/noConstructorReturn: the same object, with errors in terms of the API.
    return wrapLibrary('sessions', this);
  }
}

function requireWorkspace(root: string): string {
  try {
    if (typeof root !== 'string' || root === '') throw new TypeError('the path of a workspace is missing');
    return findWorkspace(root, {}, process.cwd()).root;
  } catch (error) {
    throw toLibraryError(error, 'Sessions');
  }
}
