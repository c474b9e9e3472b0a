import { ScratchpadError } from '../base/errors.ts';
import { complaint } from './arguments.ts';

/**
 * The same object with functions that check their arguments, and throw errors in terms of the API instead of the
 * command line.
 * @param name what programs call it
 * @param inner functions of the object that are not part of the API
 */
export function asLibrary<T extends object>(
  name: string,
  object: T,
  inner: ReadonlySet<unknown> = new Set(),
): T {
  return new Proxy(object, {
    get(target, key) {
      if (inner.has(key)) return undefined;
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function' || key === 'constructor') return value;
      if (isAsyncGenerator(value)) return (...args: unknown[]) => eachAsLibrary(value.apply(target, args));
      return (...args: unknown[]) => {
        const wrong = complaint(`${name}.${String(key)}`, args);
        if (wrong !== undefined) return Promise.reject(wrong);
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

export async function throwAsLibrary(error: unknown): Promise<never> {
  if (!(error instanceof ScratchpadError)) throw error;
  const { forFace } = await import('../core/faces.ts');
  throw forFace(error, 'call');
}
