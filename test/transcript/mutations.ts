type Random = () => number;
type Mutation = (bytes: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);

function pick<T>(random: Random, list: readonly T[]): T | undefined {
  return list[below(random, list.length)];
}

function editLines(bytes: Buffer, edit: (lines: string[]) => string[]): Buffer {
  return Buffer.from(edit(bytes.toString('latin1').split('\n')).join('\n'), 'latin1');
}

const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  '\0',
  '\u2028',
  '\ud800',
  'constructor',
  '__proto__',
  [],
  {},
  [[]],
  [null],
  [{}],
  [{ type: 'text' }],
  { toString: null },
  { length: 9 },
  '9999-99-99T99:99:99Z',
  '<system-reminder>',
  '<system-reminder>'.repeat(2000),
  'x'.repeat(70_000),
];

/** Puts a strange value somewhere inside one record. */
function twist(value: unknown, random: Random, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 5 || random() < 0.15)
    return pick(random, STRANGE);
  if (Array.isArray(value)) {
    const index = below(random, value.length + 1);
    return [...value.slice(0, index), twist(value[index], random, depth + 1), ...value.slice(index + 1)];
  }
  const key = pick(random, Object.keys(value)) ?? 'type';
  const twisted = new Map(Object.entries(value));
  if (random() < 0.15) twisted.delete(key);
  else twisted.set(key, twist(twisted.get(key), random, depth + 1));
  return Object.fromEntries(twisted);
}

function nested(random: Random): string {
  const depth = 1 + below(random, 100_000);
  return (
    pick(random, [
      '['.repeat(depth) + ']'.repeat(depth),
      '['.repeat(depth),
      `{"type":"user","uuid":"n","sessionId":"s","message":{"role":"user","content":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}`,
      `{"type":"message","id":"n","parentId":"e1","message":{"role":"assistant","content":[{"type":"toolCall","name":"x","arguments":${'['.repeat(depth)}${']'.repeat(depth)}}]}}`,
      `{"role":"user","content":${'[{"text":'.repeat(depth)}"x"${'}]'.repeat(depth)}}`,
    ]) ?? ''
  );
}

export const MUTATIONS: ReadonlyMap<string, Mutation> = new Map<string, Mutation>([
  ['truncated', (bytes, random) => bytes.subarray(0, below(random, bytes.length))],
  ['start cut off', (bytes, random) => bytes.subarray(below(random, bytes.length))],
  [
    'flipped bytes',
    (bytes, random) => {
      const flipped = Buffer.from(bytes);
      for (let left = 1 + below(random, 40); left > 0; left--)
        flipped[below(random, flipped.length)] = below(random, 256);
      return flipped;
    },
  ],
  ['dropped lines', (bytes, random) => editLines(bytes, (lines) => lines.filter(() => random() > 0.2))],
  [
    'repeated lines',
    (bytes, random) =>
      editLines(bytes, (lines) => lines.flatMap((line) => (random() < 0.3 ? [line, line] : [line]))),
  ],
  [
    'shuffled lines',
    (bytes, random) =>
      editLines(bytes, (lines) =>
        lines
          .map((line) => ({ line, key: random() }))
          .sort((a, b) => a.key - b.key)
          .map(({ line }) => line),
      ),
  ],
  [
    'NUL bytes',
    (bytes, random) => {
      const at = below(random, bytes.length);
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(1 + below(random, 5000)),
        bytes.subarray(at),
      ]);
    },
  ],
  [
    'a huge line',
    (bytes, random) =>
      editLines(bytes, (lines) => {
        const size = random() < 0.02 ? 9_000_000 : 1 + below(random, 600_000);
        lines.splice(
          below(random, lines.length),
          0,
          `{"role":"user","type":"user","content":"${'h'.repeat(size)}"}`,
        );
        return lines;
      }),
  ],
  [
    'deep nesting',
    (bytes, random) =>
      editLines(bytes, (lines) => {
        lines.splice(below(random, lines.length), 0, nested(random));
        return lines;
      }),
  ],
  [
    'twisted values',
    (bytes, random) =>
      Buffer.from(
        bytes
          .toString('utf8')
          .split('\n')
          .map((line) => (random() < 0.4 ? twistLine(line, random) : line))
          .join('\n'),
      ),
  ],
  ['two formats in one', (bytes, random, others) => Buffer.concat([bytes, pick(random, others) ?? bytes])],
  ['CRLF', (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')],
  ['a BOM', (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
  ['no line ends', (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\n', ' '), 'latin1')],
]);

function twistLine(line: string, random: Random): string {
  try {
    return JSON.stringify(twist(JSON.parse(line), random)) ?? '';
  } catch {
    return line;
  }
}

/** One to three mutations in a row, with their names. */
export function mutate(
  bytes: Buffer,
  random: Random,
  others: readonly Buffer[],
): { bytes: Buffer; names: string[] } {
  const names: string[] = [];
  let mutated = bytes;
  for (let left = 1 + below(random, 3); left > 0 && mutated.length > 0; left--) {
    const [name, mutation] = pick(random, [...MUTATIONS]) ?? ['truncated', (same: Buffer) => same];
    names.push(name);
    mutated = mutation(mutated, random, others);
  }
  return { bytes: mutated, names };
}
