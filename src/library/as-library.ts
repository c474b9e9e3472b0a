import { ScratchpadError } from '../errors.ts';

/** The same object with functions that throw errors in terms of the API instead of the command line. */
export function asLibrary<T extends object>(object: T): T {
  return new Proxy(object, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
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
