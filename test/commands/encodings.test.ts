import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const MARK = '\ufeff';

test('a byte order mark before an input is no part of it', async () => {
  const cwd = testDir();
  await runWarm(['notes', 'set', '-'], { cwd, input: `${MARK}first` });
  expect((await runWarm(['notes'], { cwd })).stdout).toBe('first\n');
  writeFileSync(join(cwd, 'p'), `${MARK}1. a\n2. b\n`);
  expect((await runWarm(['plan', 'set', '-f', 'p'], { cwd })).stdout).toContain('set: 2 steps');
  writeFileSync(join(cwd, 'p16'), Buffer.from(`${MARK}1. ä\n2. b\n3. c\n`, 'utf16le'));
  expect((await runWarm(['plan', 'set', '-f', 'p16'], { cwd })).stdout).toContain(
    'set: 3 steps - next: 1. ä',
  );
  const call = `${MARK}{"action":"append_notes","content":"x"}`;
  expect((await runWarm(['tool', 'session.scratchpad'], { cwd, input: call })).exitCode).toBe(0);
});

test.each([
  ['UTF-16', (text: string) => Buffer.from(MARK + text, 'utf16le')],
  ['WINDOWS-1252', (text: string) => Buffer.from(text, 'latin1')],
] as const)(
  'a pad that an editor saved as %s is read, and made UTF-8 at the next change',
  async (name, encode) => {
    const cwd = testDir();
    const pad = join(cwd, 'SCRATCHPAD.md');
    await runWarm(['notes', 'set', 'first'], { cwd });
    const saved = encode(readFileSync(pad, 'utf8').replaceAll('—', '-').replace('first', 'café by hand'));
    writeFileSync(pad, saved);
    const shown = await runWarm(['notes'], { cwd });
    expect([shown.stdout, shown.stderr]).toEqual(['café by hand\n', expect.stringContaining(name)]);
    expect(readFileSync(pad).equals(saved)).toBe(true);

    const added = await runWarm(['notes', 'add', 'second'], { cwd });
    expect(added.stderr).toContain(`${name} instead of UTF-8`);
    expect(readFileSync(pad, 'utf8')).toContain('café by hand\nsecond');
    const [original = ''] = readdirSync(join(cwd, '.scratchpad/recovered'));
    expect(readFileSync(join(cwd, '.scratchpad/recovered', original)).equals(saved)).toBe(true);
  },
);

test('a file of somebody else in another encoding stays as it is', async () => {
  const cwd = testDir();
  const pad = join(cwd, 'SCRATCHPAD.md');
  const theirs = Buffer.from(`${MARK}# Notizen\n\nHallo\n`, 'utf16le');
  writeFileSync(pad, theirs);
  for (const command of [['init'], ['notes', 'add', 'x']]) {
    const { exitCode, stderr } = await runWarm(command, { cwd });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('SCRATCHPAD.md is UTF-16: nothing was changed'),
    ]);
  }
  expect(readFileSync(pad).equals(theirs)).toBe(true);
});

test('a word is the same word whether its accents are composed or not', async () => {
  const cwd = testDir();
  const composed = 'Gr\u00f6\u00dfe \u00e4ndern';
  const apart = composed.normalize('NFD');
  await runWarm(['plan', 'set', `1. ${composed}\n2. b`], { cwd });
  await runWarm(['notes', 'set', `${apart} now\n${composed} soon`], { cwd });
  await runWarm(['refs', 'add', `docs/${composed}.md`], { cwd });
  await runWarm(['entry', 'write', apart, '-'], { cwd, input: 'x' });
  const { stdout } = await runWarm(['search', ...apart.split(' ')], { cwd });
  expect(stdout.match(/^\w+:\d/gm)).toEqual(['plan:1', 'notes:1', 'notes:2', 'refs:1']);
  for (const command of [
    ['plan', 'done', apart],
    ['notes', 'remove', `${composed} now`],
    ['notes', 'replace', apart, 'new'],
    ['refs', 'add', `docs/${apart}.md`],
    ['refs', 'remove', `docs/${composed}.md`],
    ['entry', 'read', composed],
    ['entry', 'rename', apart, composed],
    ['rm', composed],
  ])
    expect([command, await runWarm(command, { cwd })]).toEqual([
      command,
      expect.objectContaining({ exitCode: 0 }),
    ]);
  expect((await runWarm(['notes'], { cwd })).stdout).toBe('new soon\n');
  expect((await runWarm(['refs'], { cwd })).stdout).toBe('');
});

test.each([
  ['strasse', 'Straße gesperrt'],
  ['STRASSE', 'Straße gesperrt'],
  ['straße', 'die Strasse'],
  ['テスト', 'ﾃｽﾄ完了'],
  ['データ', 'ﾃﾞｰﾀ'],
  ['abc', 'ＡＢＣ done'],
  ['cafe', 'café menu'],
])('search %s finds %s', async (query, line) => {
  const cwd = testDir();
  await runWarm(['notes', 'set', line, '-q'], { cwd });
  const { stdout } = await runWarm(['search', query], { cwd });
  expect(stdout.trim()).toBe(`notes:1: ${line}`);
});

test.each([
  ['636166e90a', 'iconv -f WINDOWS-1252 -t UTF-8 SCRATCHPAD.md'],
  ['93fa967b8cea0a', 'save it as UTF-8 in the editor that wrote it'],
  ['0063006100660065000a', 'iconv -f UTF-16BE -t UTF-8 SCRATCHPAD.md'],
])('what to do names an encoding that iconv knows, or none: %s', async (hex, advice) => {
  const cwd = testDir();
  writeFileSync(join(cwd, 'SCRATCHPAD.md'), Buffer.from(hex, 'hex'));
  const { exitCode, stderr } = await runWarm(['notes', 'add', 'x'], { cwd });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(advice)]);
});
