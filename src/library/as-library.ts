import { ScratchpadError } from '../errors.ts';

/** The same object, whose functions throw errors in the words of a program. */
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

/** An object that is loaded when one of its functions is called, all of which give promises. */
export function onDemand<T extends object>(load: () => Promise<T>): T {
  let loaded: Promise<T> | undefined;
  return new Proxy({} as T, {
    get: (_, key) => {
      // What has a `then` would be awaited as a promise.
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
