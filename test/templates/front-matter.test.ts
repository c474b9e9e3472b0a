import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const TEMPLATES = join(import.meta.dirname, '../../templates');

/** What each kind of file has to say before its text, or its host does not load it. */
const NEEDED: readonly [kind: RegExp, keys: string[]][] = [
  [/HOOK\.md$/, ['name', 'description', 'metadata']],
  [/SKILL\.md$/, ['name', 'description']],
  [/commands\/[\w-]+\.md$/, ['description']],
];

const files = readdirSync(TEMPLATES, { recursive: true, encoding: 'utf8' }).flatMap((file) => {
  const needed = NEEDED.find(([kind]) => kind.test(file))?.[1];
  return needed === undefined ? [] : [[file, needed] as const];
});

test.each(files)('%s begins with front matter that hosts can read', (file, needed) => {
  const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(readFileSync(join(TEMPLATES, file), 'utf8')) ?? [];
  const said = (parse(head) ?? {}) as Record<string, unknown>;
  for (const key of needed) expect(said[key]).toBeTruthy();
});

test('the hook directory of OpenClaw names its event', () => {
  const text = readFileSync(join(TEMPLATES, 'openclaw-hook/scratchpad/HOOK.md'), 'utf8');
  expect(text).toContain('\nmetadata: {"openclaw":{"events":["agent:bootstrap"]}}\n---\n');
  expect(files.length).toBeGreaterThan(5);
});
