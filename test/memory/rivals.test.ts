import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAnswers } from '../../src/memory/answers.ts';
import { searchMemory } from '../../src/memory/search.ts';
import type { Message } from '../../src/transcript/types.ts';
import { workspaceOf } from './workspace.ts';

const ASK: Message = { id: '1', role: 'user', content: 'Which port do we use in ops?', session: 's' };

test('tells two values of one thing with the dates of their files, the newer first', async () => {
  const files = { 'a.md': '# Ops\n\n- port is 8080\n', 'b.md': '# Ops\n\n- port is 9090\n' };
  const workspace = workspaceOf({ 'memory/a.md': files['a.md'], 'memory/b.md': files['b.md'] });
  for (const [newer, older] of ['ab', 'ba']) {
    utimesSync(join(workspace, `memory/${newer}.md`), 0, Date.UTC(2026, 0, 20) / 1000);
    utimesSync(join(workspace, `memory/${older}.md`), 0, Date.UTC(2025, 10, 1) / 1000);
    const { hits } = await searchMemory({ text: 'port' }, { workspace });
    expect(hits.map(({ path, fileDate }) => `${path} ${fileDate}`)).toEqual([
      `memory/${newer}.md 2026-01-20`,
      `memory/${older}.md 2025-11-01`,
    ]);
    const asked = await findAnswers([ASK], { workspace });
    expect(asked.hits.map(({ path }) => path)).toEqual([`memory/${newer}.md`]);
  }
});

test('takes lines of the same words under other titles for other things', async () => {
  const files = { 'memory/a.md': '# Ops\n\n- port is 8080\n', 'memory/b.md': '# Shop\n\n- port is 9090\n' };
  const { hits } = await searchMemory({ text: 'port' }, { workspace: workspaceOf(files) });
  expect(hits.map(({ fileDate }) => fileDate)).toEqual([undefined, undefined]);
});
