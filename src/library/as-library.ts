import { ScratchpadError } from '../base/errors.ts';

/** The same object with functions that throw errors in terms of the API instead of the command line. */
export function asLibrary<T extends object>(object: T): T {
  return new Proxy(object, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function' || key === 'constructor') return value;
      if (isAsyncGenerator(value)) return (...args: unknown[]) => eachAsLibrary(value.apply(target, args));
      return (...args: unknown[]) => {
        const done: unknown = value.apply(target, args);
        return done instanceof Promise ? done.catch(throwAsLibrary) : done;
      };
    },
  });
}

function isAsyncGenerator(value: object): value is (...args: unknown[]) => AsyncGenerator {
  return Object.prototype.toString.call(value) === '[object AsyncGeneratorFunction]';
}

async function* eachAsLibrary(items: AsyncIterable<unknown>): AsyncGenerator {
  try {
    yield* items;
  } catch (error) {
    await throwAsLibrary(error);
  }
}

/** The functions of an object, complete by its type. */
export type Names<T> = Readonly<Record<keyof T, true>>;

/**
 * An object that is loaded when one of its functions, all of which return promises, is called. Other names are not
 * functions of it: for JSON or a promise it has to look like any other object.
 */
export function onDemand<T extends object>(names: Names<T>, load: () => Promise<T>): T {
  let loaded: Promise<T> | undefined;
  const functions = (Object.keys(names) as (keyof T)[]).map((name) => [
    name,
    async (...args: unknown[]): Promise<unknown> => {
      loaded ??= load();
      const object = await loaded;
      return (object[name] as (...args: unknown[]) => unknown).apply(object, args);
    },
  ]);
  return Object.fromEntries(functions) as T;
}

export async function throwAsLibrary(error: unknown): Promise<never> {
  if (!(error instanceof ScratchpadError)) throw error;
  const { forFace } = await import('../core/faces.ts');
  throw forFace(error, 'call');
}
