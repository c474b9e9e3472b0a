import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editConfig, readConfigFile } from '../../src/config/file.ts';
import { findNearest } from '../../src/config/values.ts';
import { openScratchpad } from '../../src/library/scratchpad.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const UNUSED = 'until that is fixed, no setting of this file is used';

function read(text: string) {
  const dir = testDir({ 'config.yaml': text });
  const { values, problems } = readConfigFile(join(dir, 'config.yaml'));
  return {
    values: Object.fromEntries(values),
    problems: problems.map((each) => each.replace(`${dir}/`, '')),
  };
}

describe('a config file', () => {
  test.each([
    [
      'limits:\n  note: 5\n',
      'config.yaml:2: no setting is called limits.note; did you mean limits.notes? (column 3)',
    ],
    ['tll: 5m\n', 'config.yaml:1: no setting is called tll; did you mean ttl? (column 1)'],
    ['warnAt: 5\n', 'config.yaml:1: no setting is called warnAt; did you mean compaction.warnAt? (column 1)'],
    ['colour: red\n', 'config.yaml:1: no setting is called colour (column 1)'],
    [
      '\n\nttl: soon\n',
      'config.yaml:3: ttl: expected a duration such as 90s, 30m, 2h, found soon (column 6)',
    ],
    ['hook:\n  say: mine\n', 'config.yaml:2: hook.say: expected one of once, always, found mine (column 8)'],
    ['limits: 500\n', 'config.yaml:1: limits: expected indented lines below it (column 1)'],
    ['ttl:\n', 'config.yaml:1: ttl: expected a duration such as 90s, 30m, 2h, found null (column 5)'],
    ['- ttl\n', `config.yaml:1: expected \`key: value\` lines; ${UNUSED} (column 1)`],
    ['ttl: 5m\nttl: 6m\n', `config.yaml:2: Map keys must be unique; ${UNUSED} (column 1)`],
    [
      'ttl: [1,2\nlimits:\n  notes: 100\n',
      `config.yaml:1: Flow sequence in block collection must be sufficiently indented and end with a ]; ${UNUSED} (column 6)`,
    ],
    [
      'ttl: 5m\nlimits: {notes: 100\nspaces: 1\n',
      `config.yaml:2: Flow map in block collection must be sufficiently indented and end with a }; ${UNUSED} (column 9)`,
    ],
    [`ttl: 5m\ntimezone: "UTC\nlimits:\n`, `config.yaml:2: Missing closing "quote; ${UNUSED} (column 11)`],
  ])('%j: the line, the column and what would be right', (text, problem) => {
    expect(read(text).problems).toEqual([problem]);
  });

  test('with one wrong line keeps the others', () => {
    expect(read('ttl: soon\nlimits: {notes: 7}\n').values).toEqual({ 'limits.notes': 7 });
  });

  test('may write a key with its dots, use anchors, and leave a group empty', () => {
    expect(read('limits.notes: 7\nrouting: {low: &model tiny, high: *model}\nlimits:\n').values).toEqual({
      'limits.notes': 7,
      'routing.low': 'tiny',
      'routing.high': 'tiny',
    });
  });

  test('whose aliases expand beyond the memory is a problem', () => {
    const bomb = `a: &a [x, x]\n${[...'bcdefghijklm'].map((name, k) => `${name}: &${name} [${`*${'abcdefghijklm'[k]}, `.repeat(9)}]`).join('\n')}`;
    const { problems } = read(`${bomb}\nmemory: {paths: *m}\n`);
    expect(problems.at(-1)).toMatch(/memory\.paths: .*alias/i);
  });

  test('of any bytes is read without an exception', () => {
    const piece = fc.constantFrom(
      'ttl',
      ': ',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      '&a',
      '*a',
      '!!js',
      '"',
      '#',
      '<<',
      '?',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (parts) => {
        expect(Array.isArray(read(parts.join('')).problems)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('an edit', () => {
  test.each([
    [
      'keeps comments and order',
      '# mine\nb: 1\nttl: 1h # long\n',
      'ttl',
      '2h',
      '# mine\nb: 1\nttl: 2h # long\n',
    ],
    ['fills an empty group', 'limits:\nttl: 1h\n', 'limits.notes', 5, 'limits:\n  notes: 5\nttl: 1h\n'],
    ['replaces a key written with dots', 'limits.notes: 7\n', 'limits.notes', 5, 'limits:\n  notes: 5\n'],
    ['makes a file', '', 'limits.notes', 5, 'limits:\n  notes: 5\n'],
    [
      'keeps a comment at the end',
      'ttl: 1h\n\n# mine\nlimits:\n  # few\n  notes: 5\n',
      'limits.notes',
      undefined,
      'ttl: 1h\n\n# mine\nlimits:\n  # few\n  {}\n',
    ],
    [
      'leaves no empty group',
      '# mine\nmemory:\n  embeddings:\n    deadline: 2s\n',
      'memory.embeddings.deadline',
      undefined,
      '# mine\n\n',
    ],
    [
      'removes a setting',
      '# mine\nttl: 1h\nlimits: {notes: 5}\n',
      'ttl',
      undefined,
      '# mine\n\nlimits: { notes: 5 }\n',
    ],
  ] as const)('%s', (_, before, key, value, after) => {
    expect(editConfig(before, key, value)).toBe(after);
  });

  test('of a file that is not a map changes nothing', () => {
    expect(() => editConfig('- a\n', 'ttl', '1h')).toThrow('not changed');
    expect(() => editConfig('ttl: [', 'ttl', '1h')).toThrow('not changed');
  });
});

test.each([
  ['tll', 'ttl'],
  ['Limits.Notes', 'limits.notes'],
  ['memory.path', 'memory.paths'],
  ['x'.repeat(500), undefined],
  ['', undefined],
])('%s: the nearest is %s', (word, near) => {
  expect(findNearest(word, ['ttl', 'limits.notes', 'memory.paths', 'hook.say'])).toBe(near);
});

test('a setting of an earlier version is named and ignored, and can be taken out', async () => {
  const cwd = testDir({ '.scratchpad/config.yaml': 'hook:\n  refresh: 5m\nttl: 45m\n' });
  const first = await runWarm(['config', 'get', 'ttl'], { cwd });
  expect(first).toMatchObject({ stdout: '45m\n', exitCode: 0 });
  expect(first.stderr).toContain('no setting is called hook.refresh');
  expect((await runWarm(['config', 'set', 'hook.refresh', '9m'], { cwd })).exitCode).toBe(2);
  expect((await runWarm(['config', 'unset', 'hook.refresh'], { cwd })).exitCode).toBe(0);
  expect(readFileSync(join(cwd, '.scratchpad/config.yaml'), 'utf8')).not.toContain('refresh');
  expect((await runWarm(['config', 'check'], { cwd })).stdout).toBe('no problems\n');
});

test('a config that is not used is reported with --quiet, too, and by the library', async () => {
  const cwd = testDir();
  await runWarm(['init'], { cwd });
  writeFileSync(join(cwd, '.scratchpad/config.yaml'), 'ttl: [1,2\nlimits:\n  notes: 100\n');
  const { stderr, stdout } = await runWarm(['notes', 'set', 'a', '-q'], { cwd });
  expect(stderr).toContain(`config.yaml:1: Flow sequence`);
  expect(stderr).toContain('no setting of this file is used');
  expect(stdout).toBe('');
  const check = await runWarm(['config', 'check'], { cwd });
  expect([check.exitCode, check.stderr]).toEqual([2, '']);
  expect(check.stdout).toContain('no setting of this file is used');

  const pad = await openScratchpad({ workspace: cwd });
  const [warning] = (await pad.notes.set('b')).warnings;
  expect(warning).toContain('no setting of this file is used');
  const { notices } = await pad.assemble({ messages: [{ role: 'user', content: 'hello' }] });
  expect(notices).toContain(warning);
});
