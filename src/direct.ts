import type { Body } from './commands/declare/action.ts';
import type { GlobalOptions } from './commands/invocation.ts';

/**
 * The commands that agents and hooks call at every turn, and the texts that each takes. A
 * plain line of one of them - these words, these texts, options that every command has - runs
 * without the command parser, which costs a third of such a call. Everything else, and every
 * doubt, is the parser's: it also tells what is wrong.
 */
interface Direct {
  words: readonly string[];
  /** How many; `any`: a list of them. */
  texts: number | 'any';
  load: () => Promise<Body<never[]>>;
}

export const DIRECT: readonly Direct[] = [
  { words: ['context'], texts: 0, load: async () => (await import('./commands/context.ts')).context },
  { words: ['check'], texts: 0, load: async () => (await import('./commands/check.ts')).check },
  { words: ['assemble'], texts: 0, load: async () => (await import('./commands/assemble.ts')).assemble },
  { words: ['notes', 'show'], texts: 0, load: async () => (await import('./commands/notes.ts')).show },
  { words: ['notes', 'set'], texts: 1, load: async () => (await import('./commands/notes.ts')).set },
  { words: ['notes', 'append'], texts: 1, load: async () => (await import('./commands/notes.ts')).append },
  { words: ['plan', 'show'], texts: 0, load: async () => (await import('./commands/plan.ts')).show },
  { words: ['plan', 'set'], texts: 1, load: async () => (await import('./commands/plan.ts')).set },
  { words: ['plan', 'add'], texts: 1, load: async () => (await import('./commands/plan.ts')).add },
  { words: ['plan', 'done'], texts: 1, load: async () => (await import('./commands/plan.ts')).done },
  { words: ['plan', 'current'], texts: 1, load: async () => (await import('./commands/plan.ts')).current },
  { words: ['refs', 'list'], texts: 0, load: async () => (await import('./commands/refs.ts')).list },
  { words: ['refs', 'add'], texts: 1, load: async () => (await import('./commands/refs.ts')).add },
  { words: ['refs', 'remove'], texts: 1, load: async () => (await import('./commands/refs.ts')).remove },
  {
    words: ['memory', 'search'],
    texts: 'any',
    load: async () => (await import('./commands/memory.ts')).search,
  },
] as readonly Direct[];

const FLAGS = new Map<string, keyof GlobalOptions>([
  ['--json', 'json'],
  ['--quiet', 'quiet'],
  ['-q', 'quiet'],
]);
const VALUES = new Map<string, keyof GlobalOptions>([
  ['--workspace', 'workspace'],
  ['-w', 'workspace'],
  ['--session', 'session'],
  ['-s', 'session'],
  ['--now', 'now'],
]);

/** A command line that needs no parser. */
export interface DirectCall {
  options: GlobalOptions;
  /** What the body gets beside the options. */
  args: unknown[];
  load: () => Promise<Body<unknown[]>>;
}

/** The call that a plain line stands for; `undefined` sends it to the parser. */
export function directCall(argv: readonly string[]): DirectCall | undefined {
  const options: Record<string, string | boolean> = {};
  const words: string[] = [];
  for (let k = 0; k < argv.length; k += 1) {
    const word = argv[k] as string;
    const flag = FLAGS.get(word);
    const option = VALUES.get(word);
    if (flag) options[flag] = true;
    else if (option) {
      k += 1;
      const value = argv[k];
      if (value === undefined || value === '' || value.startsWith('-')) return undefined;
      options[option] = value;
      // A list item is a text, and so is the dash that means stdin.
    } else if (word.startsWith('-') && word !== '-' && !/^-+\s/.test(word)) return undefined;
    else words.push(word);
  }
  const direct = DIRECT.find(
    (candidate) =>
      (candidate.texts === 'any' || words.length === candidate.words.length + candidate.texts) &&
      candidate.words.every((word, k) => words[k] === word),
  );
  if (!direct) return undefined;
  const load = direct.load as unknown as DirectCall['load'];
  const texts = words.slice(direct.words.length);
  return { options, args: direct.texts === 'any' ? [texts] : texts, load };
}
