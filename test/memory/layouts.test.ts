import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findKinds, listWatchedPlaces } from '../../src/assembly/triggers/watcher.ts';
import { buildConfig } from '../../src/config/values.ts';
import { findAnswers } from '../../src/memory/answers.ts';
import { listLoadedFiles, listMemoryPaths } from '../../src/memory/places.ts';
import { searchMemory } from '../../src/memory/search.ts';
import { workspaceOf, write } from './workspace.ts';

const SOURCES = ['claude-code', 'codex', 'gemini-cli', 'openclaw'];

const settle = (): Promise<void> => new Promise((done) => setTimeout(done, 150));

async function found(text: string, workspace: string, include: readonly string[]): Promise<string[]> {
  const { hits } = await searchMemory({ text }, { workspace, include, limit: 20 });
  return hits.map(({ path, line }) => `${path}:${line}`).sort();
}

/** A home in which every tool keeps a memory of its own. */
function homeOf(workspace: string): string {
  const project = workspace.replace(/[^a-zA-Z0-9]/g, '-');
  return workspaceOf({
    '.claude/CLAUDE.md': '- the cluster rule of the person\n',
    [`.claude/projects/${project}/memory/MEMORY.md`]: '- the cluster as Claude Code noted it\n',
    [`.claude/projects/${project}/memory/ops.md`]: '- cluster operations\n',
    '.claude/projects/-another/memory/MEMORY.md': '- the cluster of another project\n',
    '.codex/AGENTS.md': '- the cluster rules for Codex\n',
    '.codex/memories/MEMORY.md': '- the cluster that Codex remembers\n',
    '.gemini/GEMINI.md': '- the cluster for Gemini\n',
    '.openclaw/workspace/memory/2026-02-01.md': '- the cluster of the other agent\n',
    '.openclaw/workspace/SOUL.md': '- the cluster is no memory here\n',
  });
}

describe('memories of other tools', () => {
  it('are searched where they lie, those of this project only', async () => {
    const workspace = workspaceOf({
      'CLAUDE.md': '- the cluster is written down here\n',
      'AGENTS.md': '- the cluster has agents\n',
      'memory/own.md': '- our own cluster in Rome\n',
    });
    const home = homeOf(workspace);
    const at = (path: string): string => `${join(home, path)}:1`;
    const project = workspace.replace(/[^a-zA-Z0-9]/g, '-');
    const include = listMemoryPaths({ paths: [], sources: SOURCES }, workspace, { HOME: home });
    const everything = [
      'AGENTS.md:1',
      'CLAUDE.md:1',
      'memory/own.md:1',
      at('.claude/CLAUDE.md'),
      at(`.claude/projects/${project}/memory/MEMORY.md`),
      at(`.claude/projects/${project}/memory/ops.md`),
      at('.codex/AGENTS.md'),
      at('.codex/memories/MEMORY.md'),
      at('.gemini/GEMINI.md'),
      at('.openclaw/workspace/memory/2026-02-01.md'),
    ].sort();
    // Once by a scan, once by the index.
    expect(await found('cluster', workspace, include)).toEqual(everything);
    expect(await found('cluster', workspace, include)).toEqual(everything);
    expect(await found('cluster', workspace, listMemoryPaths({ paths: [], sources: [] }, workspace))).toEqual(
      ['memory/own.md:1'],
    );
  });

  it('of a workspace behind a link are found by either name', () => {
    const workspace = workspaceOf({});
    const link = join(workspaceOf({}), 'link');
    symlinkSync(workspace, link);
    const paths = listMemoryPaths({ paths: [], sources: ['claude-code'] }, link, { HOME: '/h' });
    for (const name of [link, workspace])
      expect(paths).toContain(`/h/.claude/projects/${name.replace(/[^a-zA-Z0-9]/g, '-')}/memory`);
  });

  it('lie where the environment says', () => {
    const env = {
      HOME: '/home/ann',
      CLAUDE_CONFIG_DIR: '/c',
      CODEX_HOME: '/x',
      GEMINI_CLI_HOME: '/g',
      OPENCLAW_STATE_DIR: '/o',
      OPENCLAW_PROFILE: 'work',
    };
    const paths = listMemoryPaths({ paths: ['docs'], sources: SOURCES }, '/w/s.x', env);
    for (const path of [
      'docs',
      '/c/projects/-w-s-x/memory',
      '/x/memories/MEMORY.md',
      '/g/.gemini/GEMINI.md',
      '/o/workspace-work/memory',
    ])
      expect(paths).toContain(path);
    expect(paths.filter((path) => path.startsWith('/home'))).toEqual([]);
  });

  it('of Claude Code are searched by default, one passage a fact, without the index that it loads itself', async () => {
    const workspace = workspaceOf({ 'memory/own.md': '- our sloop is blue\n' });
    const project = workspace.replace(/[^a-zA-Z0-9]/g, '-');
    const notes = `.claude/projects/${project}/memory`;
    const home = workspaceOf({
      [`${notes}/MEMORY.md`]: '# Index\n- [Sloop](sloop.md): the sloop and its mooring\n- the sloop leaks\n',
      [`${notes}/sloop.md`]:
        '---\nname: sloop\ndescription: "Where the sloop lies"\nmetadata:\n  type: project\n---\n\nIt is moored at pier\nnine of the harbour.\n\n**Why:** the sloop is deep.\n',
      '.claude/projects/-another/memory/sloop.md': '- the sloop of another project\n',
    });
    const include = listMemoryPaths({ paths: [], sources: [] }, workspace, { HOME: home });
    for (let times = 0; times < 2; times++)
      expect(await found('sloop', workspace, include)).toEqual(
        [
          'memory/own.md:1',
          `${join(home, notes, 'MEMORY.md')}:3`,
          `${join(home, notes, 'sloop.md')}:8`,
          `${join(home, notes, 'sloop.md')}:11`,
        ].sort(),
      );
    const { hits } = await searchMemory({ text: 'sloop pier' }, { workspace, include, limit: 1 });
    expect(hits[0]?.text).toBe('Where the sloop lies. It is moored at pier nine of the harbour.');
    expect([hits[0]?.startLine, hits[0]?.endLine]).toEqual([1, 9]);
  });

  it('of Claude Code belong to the repository: a folder and a linked work tree share them', () => {
    const repository = workspaceOf({ '.git/HEAD': 'ref: refs/heads/main\n', 'deep/down/a.md': 'a\n' });
    const name = repository.replace(/[^a-zA-Z0-9]/g, '-');
    const home = workspaceOf({ [`.claude/projects/${name}/memory/a.md`]: 'a\n' });
    const paths = listMemoryPaths({ paths: [], sources: [] }, join(repository, 'deep/down'), { HOME: home });
    expect(paths).toEqual([join(home, '.claude/projects', name, 'memory')]);
  });

  it('that a host has put before the model itself are not said, nor what they import', async () => {
    const workspace = workspaceOf({
      'CLAUDE.md': '# Rules\n\nSee @docs/rules.md and `code`.\n',
      'docs/rules.md': '- The sloop is moored at pier nine\n',
      'memory/own.md': '- The sloop is moored at pier nine\n- The dinghy is kept in shed four\n',
    });
    const said = async (content: string, host: string): Promise<string[]> => {
      const messages = [{ id: '1', role: 'user' as const, content, session: 's' }];
      const loaded = (): string[] => listLoadedFiles(host, workspace, { HOME: '/h' });
      return (await findAnswers(messages, { workspace, loaded })).hits.map(({ text }) => text);
    };
    expect(await said('where is the sloop moored?', 'claude-code')).toEqual([]);
    expect(await said('where is the sloop moored?', 'codex')).toEqual(['The sloop is moored at pier nine']);
    expect(await said('where is the dinghy kept?', 'claude-code')).toEqual([
      'The dinghy is kept in shed four',
    ]);
  });

  it('that a host loads: its own files, those above, its notes, and no more than it loads', () => {
    const workspace = workspaceOf({
      'CLAUDE.md': 'here @a.md',
      'a.md': 'imported @b.md @a.md @none.md',
      'b.md': 'twice imported',
      'AGENTS.md': 'for agents',
      'GEMINI.md': 'for Gemini',
      'MEMORY.md': `${'x'.repeat(30_000)} the end`,
    });
    const project = workspace.replace(/[^a-zA-Z0-9]/g, '-');
    const home = workspaceOf({
      '.claude/CLAUDE.md': 'of the person',
      [`.claude/projects/${project}/memory/MEMORY.md`]: `${'line\n'.repeat(300)}beyond\n`,
      '.codex/AGENTS.md': 'for Codex',
      '.gemini/GEMINI.md': 'for Gemini, of the person',
    });
    const by = (host: string): string => listLoadedFiles(host, workspace, { HOME: home }).join('|');
    expect(by('claude-code')).toMatch(
      /^here @a.md\|of the person\|(?:line\n){199}line\|imported .*\|twice imported$/,
    );
    expect(by('codex')).toBe('for agents|for Codex');
    expect(by('gemini-cli')).toBe('for Gemini|for Gemini, of the person');
    expect(by('openclaw')).toBe(`for agents|${'x'.repeat(20_000)}`);
    expect(by('another')).toBe('');
  });

  it('are watched', () => {
    const workspace = workspaceOf({});
    const env = { HOME: homeOf(workspace) };
    const config = buildConfig(new Map([['memory.sources', SOURCES]]));
    const places = listWatchedPlaces({ root: workspace, config, env });
    const project = workspace.replace(/[^a-zA-Z0-9]/g, '-');
    for (const path of [
      join(workspace, 'CLAUDE.md'),
      join(env.HOME, `.claude/projects/${project}/memory/new.md`),
      join(env.HOME, '.codex/memories/MEMORY.md'),
      join(env.HOME, '.openclaw/workspace/memory/2026-02-02.md'),
    ])
      expect([...findKinds(places, path, false)], path).toEqual(['memory']);
    const another = join(env.HOME, '.claude/projects/-another/memory/MEMORY.md');
    expect([...findKinds(places, another, false)]).toEqual([]);
  });
});

describe.each([2, 90])('what config names (%i files beside it)', (count) => {
  const notes = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`memory/n${i}.md`, `- note ${i} of the garden\n`]),
  );

  it('is found when it comes to be, changes and goes, whatever its name ends in', async () => {
    const workspace = workspaceOf(notes);
    const include = ['wiki', 'journal.txt'];
    await settle();
    expect(await found('zeppelin', workspace, include)).toEqual([]);
    write(workspace, 'wiki/a.md', '- the zeppelin landed\n');
    write(workspace, 'journal.txt', '- saw a zeppelin over Berlin\n');
    expect(await found('zeppelin', workspace, include)).toEqual(['journal.txt:1', 'wiki/a.md:1']);
    await settle();
    expect(await found('zeppelin', workspace, include)).toEqual(['journal.txt:1', 'wiki/a.md:1']);
    appendFileSync(join(workspace, 'journal.txt'), '- the zeppelin is gone\n');
    write(workspace, 'wiki/b.md', '- zeppelin hangar\n');
    write(workspace, 'wiki/c.txt', '- zeppelin in a file that is no Markdown\n');
    expect(await found('zeppelin', workspace, include)).toEqual([
      'journal.txt:1',
      'journal.txt:2',
      'wiki/a.md:1',
      'wiki/b.md:1',
    ]);
    writeFileSync(join(workspace, 'journal.txt'), '- nothing\n');
    expect(await found('zeppelin', workspace, include)).toEqual(['wiki/a.md:1', 'wiki/b.md:1']);
  });

  it('holds its links to the place that was named', async () => {
    const outside = workspaceOf({ 'wiki/a.md': '- a zeppelin\n', 'secret.md': '- the zeppelin secret\n' });
    const workspace = workspaceOf(notes);
    mkdirSync(join(outside, 'wiki/deep'));
    symlinkSync(join(outside, 'secret.md'), join(outside, 'wiki/deep/link.md'));
    await settle();
    for (let i = 0; i < 2; i++)
      expect(await found('zeppelin', workspace, [join(outside, 'wiki')])).toEqual([
        `${join(outside, 'wiki/a.md')}:1`,
      ]);
  });
});
