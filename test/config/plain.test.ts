import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readConfigFile } from '../../src/config/file.ts';
import { readPlainConfig } from '../../src/config/load.ts';
import { testDir } from '../helpers/test-dir.ts';

const path = join(testDir({}), 'config.yaml');

test('plain lines are read without the parser', () => {
  writeFileSync(
    path,
    '# mine\nttl: 45m\n\ntranscript:\n  # here\n  paths: [sessions, old/ones]\nlimits:\n  notes: 5000\n',
  );
  const { values, problems } = readPlainConfig(path) ?? {};
  const expected = { ttl: 45 * 60_000, 'transcript.paths': ['sessions', 'old/ones'], 'limits.notes': 5000 };
  expect(Object.fromEntries(values ?? [])).toEqual(expected);
  expect(problems).toEqual([]);
});

test.each([
  'ttl: 45m # short\n',
  'ttl: soon\n',
  'ttl: 1e3\n',
  'ttl: 5m\nttl: 6m\n',
  'limits:\n',
  '  ttl: 5m\n',
  'ttl: "5m"\n',
  'on: x\n',
])('%j is left to the parser', (text) => {
  writeFileSync(path, text);
  expect(readPlainConfig(path)).toBeUndefined();
});

const LINES = [
  ...[
    'ttl: 30m',
    'ttl: 1e3',
    'ttl: 45',
    'ttl:  30m',
    'ttl: 30m ',
    'ttl: ""',
    'scratchpad.ttl: 10m',
    '\tttl: 3m',
  ],
  ...[
    'limits:',
    '  notes: 500',
    '  notes: 0500',
    '  notes: abc',
    'limits.notes: 77',
    'transcript.paths: [a, b]',
  ],
  ...['transcript:', '  paths: [on, off]', '  paths: [a]', '  paths: [~]', 'scratchpad:', '  ttl: 5m', '  x'],
  ...[
    'timezone: Europe/Berlin',
    'timezone: Nowhere/X',
    '# ä',
    '  # indented',
    '',
    '---',
    'null: x',
    'user: no',
  ],
];

test('whatever is read without the parser is what the parser reads', () => {
  const texts = fc.array(fc.constantFrom(...LINES), { maxLength: 5 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(texts, (text) => {
      writeFileSync(path, text);
      const plain = readPlainConfig(path);
      if (plain !== undefined) expect(plain).toEqual(readConfigFile(path));
    }),
    { numRuns: 500 },
  );
});
