import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/text/json.ts';
import { type CallFacts, readCallFacts } from '../../src/transcript/calls.ts';
import type { CallOutcome } from '../../src/transcript/event.ts';
import { FORMATS } from '../../src/transcript/formats/index.ts';
import { runs } from '../helpers/runs.ts';

const ROOT = '/home/ana/shop';

function facts(
  tool: string,
  input: JsonObject | string,
  { text = '', outcome = 'ok' as CallOutcome, cwd = ROOT } = {},
): CallFacts {
  return readCallFacts(
    { type: 'call', id: '1', tool, input, at: 0 },
    { type: 'result', id: '1:result', call: '1', at: 1, text, outcome },
    { root: ROOT, cwd },
  );
}

const bash = (command: string, text = '', exit = 0): CallFacts =>
  facts('Bash', { command }, { text, outcome: exit === 0 ? 'ok' : 'failed' });

describe('edits', () => {
  test.each([
    ['Edit', { file_path: `${ROOT}/src/a.ts` }, ['src/a.ts']],
    ['Write', { file_path: '/etc/hosts' }, ['/etc/hosts']],
    ['MultiEdit', { file_path: 'b.ts' }, ['web/b.ts']],
    ['NotebookEdit', { notebook_path: `${ROOT}/n.ipynb` }, ['n.ipynb']],
    ['replace', { file_path: `${ROOT}/g.ts` }, ['g.ts']],
    ['write', { path: 'p.ts' }, ['web/p.ts']],
    ['tool_call', { id: 'openclaw:core:write', args: { path: 'c.ts' } }, ['web/c.ts']],
    ['apply_patch', '*** Begin Patch\n*** Add File: x.ts\n+a\n*** End Patch', ['web/x.ts']],
    [
      'shell',
      {
        command: ['apply_patch', '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** End Patch'],
      },
      ['web/a.ts', 'web/b.ts'],
    ],
    ['Read', { file_path: `${ROOT}/src/a.ts` }, undefined],
    ['Bash', { command: "sed -i 's/a/b/' src/a.ts" }, undefined],
  ] as [string, JsonObject | string, string[] | undefined][])('by %s', (tool, input, expected) => {
    expect(facts(tool, input, { cwd: `${ROOT}/web` }).edits).toEqual(expected);
    expect(facts(tool, input, { outcome: 'failed' }).edits).toBeUndefined();
    expect(facts(tool, input, { outcome: 'rejected' }).edits).toBeUndefined();
  });
});

describe('lists', () => {
  test.each([
    ['TodoWrite', { todos: [{ content: 'a', status: 'in_progress' }] }],
    ['update_plan', { plan: [{ step: 'a', status: 'in_progress' }] }],
    ['write_todos', { todos: [{ description: 'a', status: 'in_progress' }] }],
    ['update_plan', JSON.stringify({ plan: [{ step: 'a', status: 'in_progress' }] })],
  ])('%s', (tool, input) => {
    expect(facts(tool, input).tasks).toEqual([{ text: 'a', status: 'active' }]);
    expect(facts(tool, input, { outcome: 'rejected' }).tasks).toBeUndefined();
  });

  test('one task, with the number that the host gave it', () => {
    const text = 'Task #3 created successfully: Round';
    expect(facts('TaskCreate', { subject: 'Round' }, { text }).changed).toEqual([
      { id: '3', text: 'Round', status: 'open' },
    ]);
    expect(facts('TaskUpdate', { taskId: '3', status: 'completed' }).changed).toStrictEqual([
      { id: '3', status: 'done' },
    ]);
    const printed = facts('TaskList', {}, { text: '#1 [completed] Round\n#3 [pending] Write it up' });
    expect(printed.changed).toEqual([
      { id: '1', text: 'Round', status: 'done' },
      { id: '3', text: 'Write it up', status: 'open' },
    ]);
  });

  test('a plan', () => {
    expect(facts('ExitPlanMode', {})).toMatchObject({ plan: true });
    expect(facts('ExitPlanMode', { plan: '# R' }, { outcome: 'rejected' })).toMatchObject({
      plan: true,
      refused: 'ExitPlanMode',
    });
  });
});

describe('pull requests', () => {
  test.each([
    [
      'gh pr create --title "x (#12)" --body y',
      'Warning: 1 uncommitted change\nhttps://github.com/a/b/pull/186',
      'PR #186',
    ],
    ['gh pr comment 186 --body x', 'https://github.com/a/b/pull/186#issuecomment-1', 'PR #186'],
    ['gh pr merge 186 --squash', '', 'PR #186'],
    ['gh pr close https://github.com/a/b/pull/186', '', 'PR #186'],
    ['gh pr edit 186 --base main', '', 'PR #186'],
    ['glab mr create --fill', 'https://gitlab.com/a/b/-/merge_requests/7', 'MR !7'],
    ['gh pr view 186', 'https://github.com/a/b/pull/186', undefined],
    ['gh pr diff 186', '', undefined],
    ['gh pr list', '186 Round', undefined],
    ['gh pr create --fill', 'a pull request for branch "x" already exists', undefined],
    ['git log', 'Merge pull request #186 from a/b', undefined],
  ])('%s', (command, text, expected) => {
    expect(bash(command, text).pullRequest).toEqual(expected);
    if (expected !== undefined) expect(bash(command, 'HTTP 404', 1).pullRequest).toBeUndefined();
  });
});

describe('a command that changes something', () => {
  test.each([
    "sed -i 's/a/b/' src/a.ts",
    "perl -pi -e 's/a/b/' src/a.ts",
    'echo "export const a = 1;" >> src/a.ts',
    "cat > a.ts <<'EOF'\nit's\nEOF",
    'printf x | tee src/a.ts',
    'git -c user.name="A B" commit -qm "x; y"',
    "git add -A && git commit -m \"$(cat <<'EOF'\nIt's done\nEOF\n)\"",
    'cd web && mv a.ts b.ts',
    'FORCE=1 rm -rf dist',
    'npm install left-pad',
    'bash -lc "sed -i s/a/b/ a.ts"',
    'scratchpad plan set "1. Lock"',
    'npx scratchpad todo "Lock"',
    '/opt/bin/scratchpad done 1',
  ])('%s', (command) => {
    expect(bash(command).mutates).toBe(true);
    expect(bash(command, '', 1).mutates).toBeUndefined();
  });

  test.each([
    'ls -la 2>/dev/null',
    'npm test > /tmp/out.txt 2>&1',
    'npm test >build.log',
    'grep -rn "=> x" src | head',
    "awk '$1 > 3' data.csv",
    'git log --oneline; git merge-base main HEAD',
    'sed -n 1,20p src/a.ts',
    "python - <<'EOF'\nprint(1 > 0)\nEOF",
    'rm -rf /tmp/x',
    'npm run build',
    'scratchpad plan; scratchpad plan show; scratchpad todo list',
    'echo git commit',
  ])('unlike %s', (command) => {
    expect(bash(command).mutates).toBeUndefined();
  });
});

describe('a call that the person did not allow', () => {
  const events = (name: string, record: JsonObject) => {
    const format = FORMATS.find((one) => one.name === name);
    return (format?.events(record, 0) ?? []).filter((event) => event.type === 'result');
  };
  const claude = (content: string, more: JsonObject = {}, isError = true): JsonObject => ({
    type: 'user',
    uuid: 'u',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't', is_error: isError, content }],
    },
    ...more,
  });
  const codex = (output: string): JsonObject => ({
    type: 'response_item',
    payload: { type: 'function_call_output', call_id: 't', output },
  });
  const gemini = (status: string, text: string): JsonObject => ({
    id: 'g',
    type: 'gemini',
    content: '',
    toolCalls: [
      {
        id: 't',
        name: 'run_shell_command',
        args: { command: 'npm test' },
        status,
        result: [{ functionResponse: { response: { error: text } } }],
      },
    ],
  });
  const pi = (text: string): JsonObject => ({
    type: 'message',
    id: 'p',
    message: {
      role: 'toolResult',
      toolCallId: 't',
      toolName: 'bash',
      isError: true,
      content: [{ type: 'text', text }],
    },
  });
  const noWish = "The user doesn't want to proceed with this tool use. The tool use was rejected.";

  test.each([
    ['claude-code', claude(noWish, { toolDenialKind: 'user-rejected' }), 'rejected'],
    [
      'claude-code',
      claude("The user doesn't want to take this action right now. STOP what you are doing."),
      'rejected',
    ],
    ['claude-code', claude('denied', { toolDenialKind: 'permission-rule' }), 'failed'],
    ['claude-code', claude('This command requires approval', {}, false), 'ok'],
    ['claude-code', claude('Exit code 1\nFAILED'), 'failed'],
    ['codex', codex('exec command rejected by user'), 'rejected'],
    [
      'codex',
      codex(
        'exec_command failed for `/bin/bash -lc \'npm test\'`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
      ),
      'rejected',
    ],
    [
      'codex',
      codex('exec_command failed: CreateProcess { message: "Rejected(\\"blocked by policy\\")" }'),
      'unknown',
    ],
    ['codex', codex('an MCP server says: rejected by user'), 'unknown'],
    ['gemini', gemini('cancelled', '[Operation Cancelled] Reason: User denied execution.'), 'rejected'],
    ['pi', pi('1 failed\n\nCommand aborted'), 'failed'],
  ])('%s: %j', (name, record, outcome) => {
    expect(events(name, record).map((event) => event.type === 'result' && event.outcome)).toEqual([outcome]);
  });

  test('is told with its first line', () => {
    const input = { command: 'npm publish\n--tag next' };
    expect(facts('Bash', input, { outcome: 'rejected' })).toEqual({ refused: 'Bash npm publish' });
    expect(facts('Edit', { file_path: 'a.ts' }, { outcome: 'rejected' })).toEqual({ refused: 'Edit' });
  });
});

test('any call and any output are read, quickly', () => {
  const command = fc.constantFrom(
    'npm test | tail',
    'pytest; git commit -m x && git push',
    'gh pr create',
    'cat a > b.ts',
    '',
  );
  const line = fc.constantFrom(
    ...[
      'FAIL a > b',
      'not ok 1 - x',
      '  1) a',
      '=== 1 failed in 1s',
      '[main 1a2b3c4] x',
      'a.ts:1:2: error x',
      '(((',
      '> x',
      ' ',
      '\t',
    ],
  );
  const output = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(line, { maxLength: 300 }).map((lines) => lines.join('\n')),
  );
  const outcome = fc.constantFrom<CallOutcome>('ok', 'failed', 'unknown', 'rejected');
  fc.assert(
    fc.property(command, output, outcome, (line, text, how) => {
      const done = facts('Bash', { command: line }, { text, outcome: how });
      expect(JSON.parse(JSON.stringify(done))).toEqual(done);
    }),
    { numRuns: runs(30) },
  );
});

test.each([' ', 'a', '=', '(', '[a', '1 failed ', 'a/', '\t', 'a:1:1: ', '● a › '])(
  'a long line of "%s" is read quickly',
  (part) => {
    const text = part.repeat(60_000 / part.length);
    const before = process.cpuUsage();
    facts('Bash', { command: 'npm test | tail' }, { text });
    facts('Bash', { command: 'npm test' }, { text: `x\n${text}`, outcome: 'failed' });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
  },
);
