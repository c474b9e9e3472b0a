import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse, visit } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import {
  applyInstall,
  applyUninstall,
  planInstall,
  planUninstall,
} from '../../../src/hosts/install/change.ts';
import { HOSTS as ALL_HOSTS } from '../../../src/hosts/install/hosts.ts';
import { buildInstallation } from '../../../src/hosts/install/installation.ts';
import { runs } from '../../helpers/runs.ts';
import { testDir } from '../../helpers/test-dir.ts';

/** Words in comments and strings that could be taken for structure. */
const WORDS = ['hooks', '{', '}', '"', '//', '/*', ',', 'scratchpad', 'plugins', 'ä', '🎈', '[', ']', ' '];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((parts) => parts.join(''));
const comment = fc.oneof(
  words.map((text) => `// ${text}\n`),
  words.map((text) => `/* ${text.replaceAll('*/', '')} */`),
);
const blank = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('', ' ', '\n', '\n\t', '\n    ') }, comment);
const key = fc.oneof(words, fc.constantFrom('model', 'agents', 'theme'));
/** What others have where ours goes, too. */
const SHARED = [
  { key: 'permissions', value: '{"allow": ["Bash(ls:*)"], "deny": []}' },
  { key: 'mcpServers', value: '{"other": {"command": "other"}}' },
  { key: 'tools', value: '{"allowed": ["my-tool"]}' },
  { key: 'plugins', value: '{"entries": {}}' },
];
const GROUPS = JSON.stringify([{ matcher: 'Bash', hooks: [{ type: 'command', command: 'my-hook' }] }]);
/** Also of events without a hook. */
const hooksOfOthers = fc
  .uniqueArray(fc.constantFrom('SessionStart', 'UserPromptSubmit', 'BeforeAgent', 'Stop', 'Notification'))
  .map(
    (events) =>
      `{${events.map((event, k) => `${JSON.stringify(event)}: ${k % 3 === 2 ? '[]' : GROUPS}`).join(', ')}}`,
  );

interface Piece {
  before: string;
  key: string;
  value: string;
  after: string;
}

/** A settings file as a person might have written it, in every style that hosts read. */
const settings = fc
  .record({
    pieces: fc.uniqueArray(
      fc.record<Piece>({
        before: blank,
        key,
        value: fc.oneof(
          fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
          fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value, null, 4)),
        ),
        after: blank,
      }),
      { selector: (piece) => piece.key, maxLength: 5 },
    ),
    hooks: fc.option(hooksOfOthers, { nil: undefined }),
    shared: fc.subarray(SHARED),
    comma: fc.boolean(),
    crlf: fc.boolean(),
    bom: fc.boolean(),
    head: blank,
    inside: blank,
    end: fc.constantFrom('', '\n', '\n\n', ' \n// the end'),
  })
  .map(({ pieces, hooks, shared, comma, crlf, bom, head, inside, end }) => {
    const all = pieces.filter((piece) => !OURS.has(piece.key));
    for (const each of shared) all.splice(all.length >> 1, 0, { ...each, before: '\n', after: '' });
    if (hooks !== undefined)
      all.splice(all.length >> 1, 0, { before: '\n', key: 'hooks', value: hooks, after: '' });
    const body = all.map((p) => `${p.before}${JSON.stringify(p.key)}:${p.value}${p.after}`).join(',');
    const text = `${head}{${body}${comma && all.length > 0 ? ',' : ''}${inside}}${end}`;
    return (bom ? '\uFEFF' : '') + (crlf ? text.replaceAll('\n', '\r\n') : text);
  });
/** Files in which nobody has written anything yet. */
const blankFile = fc.constantFrom('', '\n', ' \r\n', '\uFEFF');

/** Where our parts go. */
const OURS = new Set(['hooks', 'plugins', 'permissions', 'mcpServers', 'tools', 'enabledMcpjsonServers']);

const HOSTS = [
  ['claude-code', '.claude/settings.json'],
  ['codex', '.codex/hooks.json'],
  ['gemini-cli', '.gemini/settings.json'],
  ['qwen-code', '.qwen/settings.json'],
  ['droid', '.factory/settings.json'],
  ['openclaw', '.openclaw/openclaw.json'],
] as const;

interface Desk {
  file: string;
  install(): void;
  uninstall(): void;
}

async function desk(host: string, path: string, content: string | undefined): Promise<Desk> {
  const root = testDir();
  const file = join(root, path);
  if (content !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const program = { command: 'scratchpad', args: [] };
  const { targets } = await buildInstallation(host, { root, env: { HOME: root }, scope: 'project', program });
  const record = join(root, 'record.json');
  return {
    file,
    install: () => applyInstall(planInstall(targets), record),
    uninstall: () => {
      applyUninstall(planUninstall(targets, record), record);
    },
  };
}

const meaning = (text: string): unknown =>
  parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true, disallowComments: false });

function comments(text: string): string[] {
  const found: string[] = [];
  const all = text.replace(/^\uFEFF/, '');
  visit(all, { onComment: (at, length) => found.push(all.slice(at, at + length).trim()) });
  return found;
}

describe.each(HOSTS)('%s', (host, path) => {
  test('any settings get their bytes back, however often the scratchpad was installed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 9, arbitrary: settings }, blankFile),
        fc.integer({ min: 1, max: 3 }),
        async (text, times) => {
          const { file, install, uninstall } = await desk(host, path, text);
          for (let k = 0; k < times; k += 1) install();
          const installed = readFileSync(file, 'utf8');
          expect(installed).not.toBe(text);
          const theirs = Object.entries(objectIn(text)).filter(([name]) => !OURS.has(name));
          expect(meaning(installed)).toMatchObject(Object.fromEntries(theirs));
          expect(comments(installed)).toEqual(comments(text));
          expect(installed.split('"my-hook"')).toHaveLength(text.split('"my-hook"').length);
          install();
          expect(readFileSync(file, 'utf8')).toBe(installed);
          uninstall();
          expect(readFileSync(file, 'utf8')).toBe(text);
          rmSync(dirname(dirname(file)), { recursive: true });
        },
      ),
      { numRuns: runs(15) },
    );
  });

  test('what a person changes in between stays, and nothing of ours does', async () => {
    await fc.assert(
      fc.asyncProperty(settings, words, async (text, said) => {
        const { file, install, uninstall } = await desk(host, path, text);
        install();
        // A line at the end, and a setting before all others.
        const eol = text.includes('\r\n') ? '\r\n' : '\n';
        const now = readFileSync(file, 'utf8');
        const at = now.indexOf('{', headOf(now)) + 1;
        const mine = `${JSON.stringify(`my ${said}`)}: 1,`;
        writeFileSync(file, `${now.slice(0, at)}${mine}${now.slice(at)}${eol}// mine ${eol}`);
        uninstall();
        const left = readFileSync(file, 'utf8');
        expect(left).toContain('// mine');
        expect(left).not.toMatch(/"(?:command|args)":[^\n]*hook (?:claude-code|codex|gemini-cli)/);
        expect(objectIn(left)).toEqual({ [`my ${said}`]: 1, ...objectIn(text) });
        rmSync(dirname(dirname(file)), { recursive: true });
      }),
      { numRuns: runs(15) },
    );
  });

  test('a file that did not exist before is gone again', async () => {
    const { file, install, uninstall } = await desk(host, path, undefined);
    install();
    install();
    expect(existsSync(file)).toBe(true);
    uninstall();
    expect(existsSync(dirname(file))).toBe(false);
  });
});

describe.each(ALL_HOSTS)('%s, in every scope', (host) => {
  test.each(['local', 'project', 'user'] as const)(
    '%s: the folders are as before, byte for byte',
    (scope) => {
      const root = testDir();
      const env = { HOME: join(root, 'home') };
      const program = { command: 'scratchpad', args: [] };
      writeFileSync(join(root, 'mine.txt'), 'mine');
      const record = join(root, 'record.json');
      const { targets } = buildInstallation(host, { root, env, scope, program });
      const before = listFiles(root);
      applyInstall(planInstall(targets), record);
      expect(listFiles(root).length).toBeGreaterThan(before.length + 1);
      applyUninstall(planUninstall(targets, record), record);
      expect(listFiles(root)).toEqual(before);
    },
  );
});

test('Qwen Code: the stamp that it puts into a file of ours goes with the file; into a person’s it stays', async () => {
  const stamp = (file: string): void =>
    writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{"$version": 4, '));
  const ours = await desk('qwen-code', '.qwen/settings.json', undefined);
  ours.install();
  stamp(ours.file);
  ours.uninstall();
  expect(existsSync(dirname(ours.file))).toBe(false);
  const theirs = await desk('qwen-code', '.qwen/settings.json', '{ "$version": 4 }');
  theirs.install();
  writeFileSync(theirs.file, `${readFileSync(theirs.file, 'utf8')}\n`);
  theirs.uninstall();
  expect(meaning(readFileSync(theirs.file, 'utf8'))).toEqual({ $version: 4 });
});

/** Every file with its content, every folder without one. */
const listFiles = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path}: ${readFileSync(path, 'utf8')}` : path;
    })
    .sort();

test('AGENTS.md: any text gets its bytes back, and an edit of it stays', async () => {
  const text = fc.array(
    fc.constantFrom('# Mine', '', '', 'words', '```', '<!-- scratchpad:notes -->', '  ', 'ä🎈'),
    {
      maxLength: 8,
    },
  );
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\uFEFF'),
      async (lines, eol, bom) => {
        const mine = bom + lines.join(eol);
        const { file, install, uninstall } = await desk('agents-md', 'AGENTS.md', mine);
        install();
        install();
        const installed = readFileSync(file, 'utf8');
        uninstall();
        expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(mine);
        install();
        writeFileSync(file, `new first line${eol}${installed.replace(bom, '')}new last line`);
        uninstall();
        const left = readFileSync(file, 'utf8');
        expect(left).not.toContain('scratchpad:guidance');
        for (const line of ['new first line', ...lines, 'new last line']) expect(left).toContain(line);
        rmSync(dirname(file), { recursive: true });
      },
    ),
    { numRuns: runs(15) },
  );
});

/** Where the object begins, past what a person wrote before it. */
function headOf(text: string): number {
  return /^(?:\uFEFF|\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(text)?.[0].length ?? 0;
}

function objectIn(text: string): Record<string, unknown> {
  return (meaning(text) ?? {}) as Record<string, unknown>;
}
