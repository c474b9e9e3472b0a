import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Pad } from '../../src/core/context.ts';
import { planSpace } from '../../src/core/spaces.ts';
import { storeFor } from '../../src/session/file-store.ts';
import { git, testRepository } from '../helpers/git.ts';
import { minimalEnv } from '../helpers/run-cli.ts';

/**
 * A workspace that an earlier version has written: one plan at a time, made by a session on main and replaced on
 * feature; another one in the session of a linked work tree. Nothing of it is lost.
 */
const EARLIER = join(import.meta.dirname, '../fixtures/earlier');
const NOW = Date.parse('2026-11-23T20:00:00Z');
const MAIN = '1. ~~Migrate the db~~ DONE\n2. Check it';
const FEATURE = '1. Write the docs';
const LINKED = '1. Of the linked tree';

function workspace(): { root: string; linked: string } {
  const root = testRepository();
  const linked = join(root, '../linked');
  git(root, 'branch', 'feature');
  git(root, 'worktree', 'add', '-q', '-b', 'linked', linked);
  const sessions = join(root, '.scratchpad/sessions');
  mkdirSync(sessions, { recursive: true });
  cpSync(EARLIER, sessions, { recursive: true });
  cpSync(join(EARLIER, 'SCRATCHPAD.md'), join(root, 'SCRATCHPAD.md'));
  for (const name of readdirSync(sessions, { recursive: true, encoding: 'utf8' })) {
    const path = join(sessions, name);
    if (statSync(path).isDirectory()) continue;
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('@HERE@/repo', root));
  }
  return { root, linked };
}

async function padIn(root: string, tree?: string): Promise<Pad> {
  const env = minimalEnv();
  const { config } = await loadConfig(root, env);
  const now = () => NOW;
  const cwd = tree ?? root;
  const where = { root, ...(tree && { worktree: 'linked' }) };
  const store = storeFor(where, undefined, config, { now, env, cwd });
  return { root, store, config, env, cwd, now };
}

/** The plans that can be seen from a branch of the main work tree, and from the linked one. */
async function seen(root: string, linked: string, branch: string) {
  git(root, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`);
  const { spaces, seen: plans } = await (await padIn(root)).store.read();
  const there = await (await padIn(root, linked)).store.read();
  return {
    here: spaces.plan,
    others: plans?.others.map(({ content }) => content),
    linked: there.spaces.plan,
    spaces,
  };
}

test('a pad of an earlier version opens with each of its plans where it was made', async () => {
  const { root, linked } = workspace();
  const journal = join(root, '.scratchpad/sessions/main/journal.jsonl');
  const before = readFileSync(journal, 'utf8');
  expect(await seen(root, linked, 'main')).toMatchObject({
    here: MAIN,
    others: [FEATURE, LINKED],
    linked: LINKED,
  });
  expect(await seen(root, linked, 'feature')).toMatchObject({
    here: FEATURE,
    others: [MAIN, LINKED],
    linked: LINKED,
  });
  const { spaces } = await seen(root, linked, 'main');
  expect(spaces).toMatchObject({ notes: 'the pool leaks\nfrom the linked tree', refs: '- src/pool.ts' });
  // Reading writes nothing.
  expect(readFileSync(journal, 'utf8')).toBe(before);
});

test('the next changes go into the journal, which only grows', async () => {
  const { root, linked } = workspace();
  const journal = join(root, '.scratchpad/sessions/main/journal.jsonl');
  const before = readFileSync(journal, 'utf8');
  git(root, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  await planSpace(await padIn(root)).done(2);
  await planSpace(await padIn(root, linked)).add('And this');
  const done = '1. ~~Migrate the db~~ DONE\n2. ~~Check it~~ DONE';
  expect(await seen(root, linked, 'main')).toMatchObject({
    here: done,
    others: [FEATURE, `${LINKED}\n2. And this`],
    linked: `${LINKED}\n2. And this`,
  });
  expect(await seen(root, linked, 'feature')).toMatchObject({ here: FEATURE });
  const after = readFileSync(journal, 'utf8');
  expect(after.startsWith(before)).toBe(true);
  // Whoever knows nothing of keys reads one plan a line, as ever.
  const entries = after
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { customType?: string; data?: unknown });
  expect(
    entries
      .filter(({ customType }) => customType === 'openclaw:scratchpad:plan')
      .every(({ data }) => typeof data === 'string'),
  ).toBe(true);
});
