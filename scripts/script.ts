/** What measuring scripts share: arguments, a folder that goes afterwards, an order by chance. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

type Value = string | number | boolean;
type Widened<Default> = Default extends number ? number : Default extends string ? string : boolean;

/**
 * The paths on the command line, and the options with their defaults, each in the type of its default.
 *
 * @param least how many paths there must be
 * @throws Error with the usage if a path is missing
 */
export function readArguments<Defaults extends Readonly<Record<string, Value>>>(
  usage: string,
  least: number,
  defaults: Defaults,
): [paths: string[], options: { [Name in keyof Defaults]: Widened<Defaults[Name]> }] {
  const config = Object.entries(defaults).map(([name, value]) => {
    const type = typeof value === 'boolean' ? ('boolean' as const) : ('string' as const);
    return [name, { type }] as const;
  });
  const { values, positionals } = parseArgs({ allowPositionals: true, options: Object.fromEntries(config) });
  if (positionals.length < least) throw new Error(`usage: ${basename(process.argv[1] ?? '')} ${usage}`);

  const options = Object.entries(defaults).map(([name, value]) => {
    const given = values[name] ?? value;
    return [name, typeof value === 'number' ? Number(given) : given];
  });
  return [positionals, Object.fromEntries(options)];
}

/** Does work in a temporary folder, which is removed afterwards. */
export async function withFolder<Result>(
  name: string,
  work: (folder: string) => Result | Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), `scratchpad-${name}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same items in an order by chance. */
export const drawOrder = <Item>(items: readonly Item[], random: () => number): Item[] =>
  items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
