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

async function throwAsLibrary(error: unknown): Promise<never> {
  if (!(error instanceof ScratchpadError)) throw error;
  const { forFace } = await import('../core/faces.ts');
  throw forFace(error, 'library');
}
