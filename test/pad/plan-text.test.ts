import { expect, test } from 'vitest';
import { readPlanText } from '../../src/pad/plan-text.ts';

test.each([
  ['[{"title": "Fix", "done": true}, {"title": "Test", "done": false}]', '- [x] Fix\n- [ ] Test'],
  ['{"tasks": [{"name": "Fix", "status": "closed"}, "Test"]}', '- [ ] Fix\n- Test'],
  ['{"goal": "ship", "steps": [{"step": "Fix", "state": "completed"}]}', 'goal: ship\n- [x] Fix'],
  ['{"plan": {"todos": ["1. Fix", "2. Test"]}}', '1. Fix\n2. Test'],
  ['{"1": "Fix", "2": "Test"}', '- Fix\n- Test'],
  ['{"step": "Fix"}', '- Fix'],
  ['["Fix", ["Test"]]', '- Fix\n- Test'],
  [
    '[{"title": "Fix", "description": "in a.ts", "subtasks": [{"title": "Look", "status": "done"}]}]',
    '- Fix\n  in a.ts\n  - [x] Look',
  ],
  ['tasks:\n  - title: Fix\n    status: done\n  - title: Test\n    status: todo', '- [x] Fix\n- [ ] Test'],
  ['- id: 1\n  content: Fix\n- id: 2\n  content: Test', '- Fix\n- Test'],
  ['id,task,status\n1,Fix,done\n2,Test,open', '- [x] Fix\n- [ ] Test'],
  ['Summary\tOwner\nFix\tAnn', '- Fix'],
  ['<ol>\n<li>Fix</li>\n<li><del>Test</del></li>\n</ol>', '- Fix\n- <del>Test</del>'],
  ['<todo status="completed">Fix</todo><todo>Test</todo>', '- [x] Fix\n- Test'],
  ['- <input type="checkbox" checked> Fix\n- <input type="checkbox"/> Test', '- [x] Fix\n- [ ] Test'],
  ['```md\n- [x] Fix\n- [ ] Test\n```', '- [x] Fix\n- [ ] Test'],
  ['1\\. Fix\n2\\. Test', '1. Fix\n2. Test'],
  ['\\- [ ] Fix', '- [ ] Fix'],
])('%j is a list of steps', async (text, plan) => {
  expect(await readPlanText(text)).toBe(plan);
});

test.each([
  '- Note: fix it\n- Test',
  '# Plan\n- task: Fix\n- task: Test',
  'Fix it, then test\nShip it, then rest',
  '```\n1. Fix\n```\nand\n```\n2. Test\n```',
  '{"a": [1], "b": ["x"]}',
  '{"port": 8080, "host": "db"}',
  '[1, 2]',
  '5',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
])('%j stays as it is', async (text) => {
  expect(await readPlanText(text)).toBe(text);
});

test('a list without steps replaces no plan', async () => {
  await expect(readPlanText('[]')).rejects.toThrow('the plan is an empty list');
});
