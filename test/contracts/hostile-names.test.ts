import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openScratchpad, ScratchpadError } from '../../src/index.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');

/** What somebody would try, and anything else. */
const hostile = fc.constantFrom(
  ...['../x', '../../../../etc/passwd', '/etc/passwd', '..', '.', '.hidden', '~/x', 'a/../../b', '..\\..\\x'],
  ...['con', 'CON', 'nul.txt', 'lock', 'index.json', '.draft-1-x.tmp', 'x.offsets', '__proto__', 'toString'],
  ...[
    '-rf',
    '--json',
    '$(touch ran)',
    '`touch ran`',
    '; touch ran',
    '%2e%2e%2fx',
    'a\0b',
    '\u202e../x',
    '🦀',
  ],
  ...['', ' ', '\n', 'x'.repeat(200), 'x'.repeat(201), 'x'.repeat(10_000), '\ud800', 'e\u0301', '\ufeffx'],
);
const anyName = fc.oneof(
  hostile,
  fc.string({ unit: 'binary', maxLength: 220 }),
  fc.string({ maxLength: 12 }),
);

/** All files under a folder, but for those of the entries themselves. */
function filesBeside(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        statSync(join(dir, file)).isFile() &&
        !/\.scratchpad\/sessions\/[^/]+\/entries\/(?:past\/)?[^/]+$/.test(file),
    )
    .sort();
}

describe('hostile names', () => {
  test('of entries: by the library, the tools and MCP each is kept and read back, or refused in the same words', async () => {
    // The workspace lies deep enough for `../..` to stay in a folder that can be looked at.
    const around = testDir({ 'a/b/c/workspace/SCRATCHPAD.md': '# Pad\n', 'a/x': 'outside' });
    const workspace = join(around, 'a/b/c/workspace');
    const pad = await openScratchpad({ workspace, env: {} });
    const client = new Client({ name: 'test', version: '1' });
    const command = { command: process.execPath, args: [PROGRAM, 'mcp'], cwd: workspace, env: minimalEnv() };
    await client.connect(new StdioClientTransport(command));
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        const content = `content of ${JSON.stringify(name)}`;
        const said = async (work: Promise<unknown>): Promise<string> => {
          try {
            await work;
            return 'kept';
          } catch (error) {
            expect(error).toBeInstanceOf(ScratchpadError);
            const { kind, message } = error as ScratchpadError;
            return `${kind}: ${message}`;
          }
        };
        const byLibrary = await said(pad.entries.write(name, content));
        expect(await said(pad.callTool('scratchpad_write', { name, content }))).toBe(byLibrary);
        // What is no Unicode cannot be said in JSON on a line.
        if (name.isWellFormed()) {
          const answer = await client.callTool({ name: 'scratchpad_write', arguments: { name, content } });
          const { error } = (answer.structuredContent ?? {}) as { error?: { kind: string; message: string } };
          expect(error ? `${error.kind}: ${error.message}` : 'kept').toBe(byLibrary);
        }
        if (byLibrary === 'kept') expect((await pad.entries.read(name)).content).toBe(content);
        else expect(byLibrary).toMatch(/^usage: not an entry name: /);
      }),
      { numRuns: runs(30) },
    );
    await client.close();
    expect(filesBeside(around)).toEqual([
      'a/b/c/workspace/.scratchpad/.gitignore',
      'a/b/c/workspace/.scratchpad/made',
      'a/b/c/workspace/SCRATCHPAD.md',
      'a/x',
    ]);
    expect(readFileSync(join(around, 'a/x'), 'utf8')).toBe('outside');
  });

  test('of entries, on the command line', async () => {
    const around = testDir({ 'a/b/c/workspace/SCRATCHPAD.md': '# Pad\n' });
    const cwd = join(around, 'a/b/c/workspace');
    await fc.assert(
      fc.asyncProperty(
        fc
          .oneof(hostile, fc.string({ unit: 'binary', maxLength: 30 }))
          .filter((name) => !name.includes('\0') && name.isWellFormed()),
        async (name) => {
          const written = await runWarm(['entry', 'write', '--', name, 'content'], { cwd });
          if (written.exitCode === 0) {
            expect((await runWarm(['entry', 'read', '--', name], { cwd })).stdout).toBe('content');
            expect((await runWarm(['run', '--scratchpad', name, 'echo', 'hi'], { cwd })).exitCode).toBe(0);
          } else {
            expect([written.exitCode, written.stderr]).toEqual([
              2,
              expect.stringContaining('not an entry name'),
            ]);
          }
        },
      ),
      { numRuns: 15 },
    );
    expect(filesBeside(around)).toEqual([
      'a/b/c/workspace/.scratchpad/.gitignore',
      'a/b/c/workspace/.scratchpad/made',
      'a/b/c/workspace/SCRATCHPAD.md',
    ]);
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });

  test('of sessions: each gets a folder of its own, or is refused', async () => {
    const around = testDir({ 'a/b/c/workspace/SCRATCHPAD.md': '# Pad\n' });
    const workspace = join(around, 'a/b/c/workspace');
    const kept = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(anyName, async (session) => {
        const content = `of ${JSON.stringify(session)}`;
        try {
          const pad = await openScratchpad({ workspace, session, env: {} });
          await pad.entries.write('x', content);
          await pad.notes.set(content);
          kept.set(session, content);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining('session id') });
        }
      }),
      { numRuns: runs(80) },
    );
    expect(kept.size).toBeGreaterThan(20);
    for (const [session, content] of kept) {
      const pad = await openScratchpad({ workspace, session, env: {} });
      expect([(await pad.entries.read('x')).content, await pad.notes.read()]).toEqual([content, content]);
    }
    const outside = readdirSync(around, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !/^a(\/b(\/c(\/workspace(\/SCRATCHPAD\.md|\/\.scratchpad(\/.*)?)?)?)?)?$/.test(file),
    );
    expect(outside).toEqual([]);
  });
});
