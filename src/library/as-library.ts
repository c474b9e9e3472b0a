import { ScratchpadError } from '../errors.ts';
import { checkCall } from './arguments.ts';

/**
 * The same object with functions that check their arguments, and throw errors in terms of the API instead of the
 * command line.
 * @param name what the API calls the object
 */
export function asLibrary<T extends object>(name: string, object: T): T {
  return new Proxy(object, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        try {
          checkCall(`${name}.${String(key)}`, args);
        } catch (error) {
          return Promise.reject(error);
        }
        const done: unknown = value.apply(target, args);
        return done instanceof Promise ? done.catch(throwAsLibrary) : done;
      };
    },
  });
}

/** An object that is loaded when one of its functions, all of which return promises, is called. */
export function onDemand<T extends object>(load: () => Promise<T>): T {
  let loaded: Promise<T> | undefined;
  return new Proxy({} as T, {
    get: (_, key) => {
      // With a `then` it would be awaited as a promise.
      if (key === 'then') return undefined;
      return async (...args: unknown[]) => {
        loaded ??= load();
        const object = await loaded;
        const method = Reflect.get(object, key) as (...args: unknown[]) => unknown;
        return method.apply(object, args);
      };
    },
  });
}

async function throwAsLibrary(error: unknown): Promise<never> {
  if (!(error instanceof ScratchpadError)) throw error;
  const { forFace } = await import('../core/faces.ts');
  throw forFace(error, 'library');
}
