import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/text/json.ts';
import { type CallFacts, callFacts, cureIn } from '../../../src/transcript/calls/index.ts';
import type { CallOutcome } from '../../../src/transcript/event.ts';
import { FORMATS } from '../../../src/transcript/formats/index.ts';
import { runs } from '../../helpers/runs.ts';

const ROOT = '/home/ana/shop';

function facts(
  tool: string,
  input: JsonObject | string,
  { text = '', outcome = 'ok' as CallOutcome, cwd = ROOT } = {},
): CallFacts {
  return callFacts(
    { type: 'call', id: '1', tool, input, at: 0 },
    { type: 'result', id: '1:result', call: '1', at: 1, text, outcome },
    { root: ROOT, cwd },
  );
}

const bash = (command: string, text = '', exit = 0): CallFacts =>
  facts('Bash', { command }, { text, outcome: exit === 0 ? 'ok' : 'failed' });

describe('a check', () => {
  const banner = '\n> cart@1.0.0 build\n> tsc -p tsconfig.json\n\n';
  const passed = '   Test Files  2 passed (2)\n      Tests  41 passed (41)\n';
  const failing = '      Tests  2 failed | 39 passed (41)\n';
  const stray = 'Error: boom (expected by a test)\nerror: also expected\n';
  const pytest = '=================== 3 failed, 41 passed in 2.10s ===================\n';

  test.each([
    // The status decides, where it is that of the check.
    ['npm test', stray, 0, 'nothing'],
    ['npm test', '', 1, 'nothing'],
    ['cd web && npm test', '', 1, 'nothing'],
    ['npm test && git push', `${passed}error: failed to push some refs`, 1, 'nothing'],
    ['npm run lint && npm test', '', 1, 'nothing'],
    ['set -o pipefail; npm test | tail -5', 'some words', 1, 'nothing'],
    ['npm test > log.txt 2>&1; echo "exit: $?"', 'exit: 1\n', 0, 'nothing'],
    ['npm test > log.txt 2>&1; echo "exit: $?"', 'exit: 0\n', 0, 'nothing'],
    [`npm test | tail -5; echo "EXIT \${PIPESTATUS[0]}"`, 'EXIT 2\n', 0, 'nothing'],
    // A pipe or a later command hides it: the runner's own totals decide, before any stray line.
    ['npx vitest run 2>&1 | tail -30', stray + passed, 0, 'nothing'],
    ['npx vitest run 2>&1 | grep -v debug', stray + passed, 0, 'nothing'],
    ['npx vitest run 2>&1 | tee out.log | head -100', stray + passed, 0, 'nothing'],
    ['rtk pytest 2>&1 | tail -3', pytest, 0, 'failed'],
    ['pytest || true', pytest, 0, 'failed'],
    ['npm test; git status', `${passed}nothing to commit`, 0, 'nothing'],
    ['npm test 2>&1 | tail -3', `${passed}npm ERR! code ELIFECYCLE`, 0, 'nothing'],
    ['mise run lint 2>&1 | tail -5', '[lint:go] 0 issues.\n[lint:go] Finished in 2s', 0, 'nothing'],
    ['npx tsc 2>&1 | tail -1', 'Found 2 errors in the same file, starting at: src/a.ts:1', 0, 'failed'],
    ['npx eslint . | tail -3', '✖ 3 problems (0 errors, 3 warnings)', 0, 'nothing'],
    ['npx biome check . | tail -3', 'Checked 12 files in 30ms. No fixes applied.', 0, 'nothing'],
    [
      'dotnet test | tail -1',
      'Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3',
      0,
      'failed',
    ],
    ['dotnet build | tail -3', 'Build succeeded.\n    1 Warning(s)\n    0 Error(s)', 0, 'nothing'],
    ['cargo test 2>&1 | tail -3', 'test result: ok. 5 passed; 0 failed; 0 ignored', 0, 'nothing'],
    ['bundle exec rspec | tail -1', '12 examples, 0 failures', 0, 'nothing'],
    ['phpunit | tail -1', 'OK (3 tests, 3 assertions)', 0, 'nothing'],
    ['node --test | tail -9', 'ℹ tests 3\nℹ pass 3\nℹ fail 0', 0, 'nothing'],
    ['./gradlew test | tail -2', 'BUILD SUCCESSFUL in 3s', 0, 'nothing'],
    // Without totals, what a program that is silent prints.
    ['npm run build 2>&1 | tail -5', banner, 0, 'nothing'],
    [
      'npm run build 2>&1 | tail -5',
      `${banner}src/a.ts(3,1): error TS2304: Cannot find name 'x'.\n`,
      0,
      'failed',
    ],
    ['npm run build 2>&1 | tail -5', `${banner}some words\n`, 0, 'nothing'],
    ['npx tsc --noEmit 2>&1 | grep "error TS"', '', 1, 'nothing'],
    ['npx tsc --noEmit 2>&1 | grep -E "error" | head -5', '', 0, 'nothing'],
    ['npx tsc --noEmit 2>&1 | grep -v node_modules', '', 1, 'nothing'],
    ['npx tsc --noEmit 2>&1 | grep -v error', '', 1, 'nothing'],
    ['npx tsc --noEmit 2>&1 | grep cart.ts', '', 1, 'nothing'],
    ['npx tsc --noEmit 2>&1 | grep "error TS" | wc -l', '11\n', 0, 'nothing'],
    ['npm test 2>&1 | grep -i error', '', 1, 'nothing'],
    ['npm test 2>&1 | grep -iE "fail|error"', '', 1, 'nothing'],
    ['npm test 2>&1 | tail -3', '', 0, 'nothing'],
    // It did not run, or not to its end.
    [
      'npm test',
      'npm error Missing script: "test"\nnpm error\nnpm error To see a list of scripts',
      1,
      'nothing',
    ],
    ['pytest -q', 'bash: line 1: pytest: command not found', 127, 'nothing'],
    ['pytest -q 2>&1 | tail -3', 'bash: line 1: pytest: command not found', 0, 'nothing'],
    ['python -m pytest', '/usr/bin/python: No module named pytest', 1, 'nothing'],
    ['./test.sh', 'bash: ./test.sh: No such file or directory', 127, 'nothing'],
    ['cd nowhere && npm test', 'bash: line 1: cd: nowhere: No such file or directory', 1, 'nothing'],
    ['golangci-lint run --disable-all', 'Error: unknown flag: --disable-all', 3, 'nothing'],
    [
      'pytest test_nowhere.py',
      'ERROR: file or directory not found: test_nowhere.py\n\nno tests ran in 0.01s',
      4,
      'nothing',
    ],
    ['npm test', 'Command timed out after 2m 0.0s', 143, 'nothing'],
    ['npm run build', '<tool_use_error>Sibling tool call errored</tool_use_error>', 1, 'nothing'],
    ['npm test &', '', 0, 'nothing'],
    [
      'go test ./x',
      '# ./x\nstat /home/ana/shop/x: directory not found\nFAIL\t./x [setup failed]\nFAIL',
      1,
      'nothing',
    ],
    // What other commands print is not its outcome.
    [
      'go build -o shop . && (cd /tmp && ./shop; echo "Exit: $?")',
      'Error: not a shop\nExit: 1',
      0,
      'nothing',
    ],
    ['mise run generate && npm test', 'some words', 1, 'nothing'],
    ['git commit -m "npm test failed"', 'FAILED', 1, 'nothing'],
  ])('%s: %j and %i: %s', (command, text, exit, expected) => {
    const { check } = bash(command, text, exit);
    const failure = check?.failing[0] ?? check?.totals;
    expect(failure === undefined ? 'nothing' : 'failed').toBe(expected);
  });

  test('has the totals and the command without what only runs it', () => {
    expect(bash('cd web && CI=1 time npx vitest run 2>&1 | tail -5', failing).check).toEqual({
      command: 'npx vitest run',
      totals: 'Tests 2 failed | 39 passed (41)',
      failing: [],
    });
  });

  test('in the background has no result', () => {
    const started = 'Command running in background with ID: b1';
    expect(
      facts('Bash', { command: 'npm test', run_in_background: true }, { text: started }).check,
    ).toBeUndefined();
  });

  test('names six failures at most, each of 120 characters at most', () => {
    const lines = Array.from({ length: 9 }, (_, at) => `FAILED test_cart.py::test_${at}_${'x'.repeat(200)}`);
    const failing = bash('pytest', lines.join('\n'), 1).check?.failing ?? [];
    expect(failing).toHaveLength(6);
    expect(failing.every((name) => name.length === 120)).toBe(true);
  });
});

describe('edits', () => {
  test.each([
    ["sed -i 's/a/b/' src/a.ts", ['edit src/a.ts']],
    ["sed 's/a/b/' src/a.ts", []],
    ["sed -i '' -e 's/a.ts/b.ts/g' src/a.ts b.ts", ['edit src/a.ts', 'edit b.ts']],
    ["cat > src/b.ts <<'EOF'\nx > y.ts\nEOF", ['edit src/b.ts']],
    ['echo "a > b.ts" >> notes.md', ['edit notes.md']],
    ['printf x >out.txt', ['edit out.txt']],
    ['cd web && cat > index.html <<EOF\nx\nEOF', ['edit web/index.html']],
    ['jq . a.json | tee b.json', ['edit b.json']],
    ['mv a.ts b.ts', ['remove a.ts', 'edit b.ts']],
    ['git mv a.ts b.ts', ['remove a.ts', 'edit b.ts']],
    ['cp a.ts src/j.ts', ['edit src/j.ts']],
    ["perl -pi -e 's/x/y/' src/i.ts", ['edit src/i.ts']],
    ['rm src/e.ts /tmp/x.log', ['remove src/e.ts', 'remove /tmp/x.log']],
    ['sudo rm src/e.ts', ['remove src/e.ts']],
    ['cat src/h.ts', []],
    ['npm test > test.log 2>&1', []],
    ['cat src/h.ts 2>/dev/null', []],
    ['echo "see src/h.ts"', []],
    ['cp *.ts old', []],
    ['git rm --cached src/a.ts', []],
    ['rm "src/(shop)/[id]/page.tsx"', ['remove src/(shop)/[id]/page.tsx']],
    ['rm -f .git/index.lock', []],
    ["sed -i 's/a/b/' a.ts && sed -i 's/c/d/' a.ts", ['edit a.ts']],
    [
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n*** End Patch\nEOF",
      ['remove a.ts', 'edit b.ts'],
    ],
  ])('%s', (command, expected) => {
    expect(bash(command).edits.map(({ how, path }) => `${how} ${path}`)).toEqual(expected);
  });

  test.each([
    ['Edit', { file_path: `${ROOT}/src/a.ts` }, ['src/a.ts']],
    ['Write', { file_path: '/etc/hosts' }, ['/etc/hosts']],
    ['MultiEdit', { file_path: 'b.ts' }, ['web/b.ts']],
    ['NotebookEdit', { notebook_path: `${ROOT}/n.ipynb` }, ['n.ipynb']],
    ['replace', { file_path: `${ROOT}/g.ts` }, ['g.ts']],
    ['write', { path: 'p.ts' }, ['web/p.ts']],
    ['tool_call', { id: 'openclaw:core:write', args: { path: 'c.ts' } }, ['web/c.ts']],
    ['apply_patch', '*** Begin Patch\n*** Add File: x.ts\n+a\n*** End Patch', ['web/x.ts']],
    ['Read', { file_path: `${ROOT}/src/a.ts` }, []],
  ])('by %s', (tool, input, expected) => {
    expect(facts(tool, input, { cwd: `${ROOT}/web` }).edits.map(({ path }) => path)).toEqual(expected);
    expect(facts(tool, input, { outcome: 'failed' }).edits).toEqual([]);
    expect(facts(tool, input, { outcome: 'rejected' }).edits).toEqual([]);
    expect(facts(tool, input, { outcome: 'denied' }).edits).toEqual([]);
  });

  test('of a chain that failed are those before the check that failed', () => {
    const line = "sed -i 's/a/b/' a.ts && npx tsc --noEmit && rm b.ts";
    expect(bash(line, 'a.ts(1,1): error TS2304: no', 2).edits).toEqual([{ path: 'a.ts', how: 'edit' }]);
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
      refused: { by: 'person' },
    });
  });
});

describe('commits and pull requests', () => {
  const COMMITTED = '[main 1a2b3c4] Round totals\n 1 file changed, 2 insertions(+)';
  test.each([
    ['git commit -m x', COMMITTED, [{ sha: '1a2b3c4', subject: 'Round totals' }]],
    ['git -C . commit --amend --no-edit', COMMITTED, [{ sha: '1a2b3c4', subject: 'Round totals' }]],
    ['git commit -m x 2>&1 | tail -3', COMMITTED, [{ sha: '1a2b3c4', subject: 'Round totals' }]],
    [
      'git commit -m x',
      '[main (root-commit) 1a2b3c4] Round totals',
      [{ sha: '1a2b3c4', subject: 'Round totals' }],
    ],
    [
      'git commit -m x',
      '[detached HEAD 1a2b3c4] Round totals',
      [{ sha: '1a2b3c4', subject: 'Round totals' }],
    ],
    [
      'jj commit -m "Round totals"',
      'Working copy  (@) now at: kkmpptxz 0123abcd (empty) (no description set)\nParent commit (@-)      : rlvkpnrz 5e6f7a8b main | Round totals',
      [{ sha: '5e6f7a8b', subject: 'Round totals' }],
    ],
    [
      'jj describe -m "Round totals"',
      'Working copy  (@) now at: kkmpptxz 0123abcd Round totals\nParent commit (@-)      : rlvkpnrz 5e6f7a8b Before',
      [{ sha: '0123abcd', subject: 'Round totals' }],
    ],
    ['git log -1 --format="[main 1a2b3c4] x"', COMMITTED, undefined],
    ['cd /tmp/other && git commit -m x', COMMITTED, undefined],
    ['cd $(mktemp -d) && git init -q && git commit -qm x', '', undefined],
    ['git commit -m x', 'nothing to commit, working tree clean', undefined],
    ['rtk git commit -m x', COMMITTED, [{ sha: '1a2b3c4', subject: 'Round totals' }]],
  ])('%s', (command, text, expected) => {
    expect(bash(command, text).commits).toEqual(expected);
  });

  test.each([
    [
      'gh pr create --title "x (#12)" --body y',
      'Warning: 1 uncommitted change\nhttps://github.com/a/b/pull/186',
      'PR #186',
    ],
    ['gh pr comment 186 --body x', 'https://github.com/a/b/pull/186#issuecomment-1', 'PR #186'],
    ['gh pr merge 186 --squash', '', 'PR #186'],
    ['gh pr merge --squash', '✓ Squashed and merged pull request a/b#186 (Round)', 'PR #186'],
    ['gh pr close https://github.com/a/b/pull/186', '', 'PR #186'],
    ['gh pr edit 186 --base main', '', 'PR #186'],
    ['gh api repos/a/b/pulls/186/comments/9/replies -f body="Fixed"', '{}', 'PR #186'],
    ['glab mr create --fill', 'https://gitlab.com/a/b/-/merge_requests/7', 'MR !7'],
    ['gh pr view 186', 'https://github.com/a/b/pull/186', undefined],
    ['gh pr diff 186', '', undefined],
    ['gh pr list', '186 Round', undefined],
    ['gh api repos/a/b/pulls/186/comments', '[]', undefined],
    ['gh pr create --fill', 'a pull request for branch "x" already exists', undefined],
    ['git log', 'Merge pull request #186 from a/b', undefined],
  ])('%s', (command, text, expected) => {
    expect(bash(command, text).pullRequest).toEqual(expected);
    if (expected !== undefined) expect(bash(command, 'HTTP 404', 1).pullRequest).toBeUndefined();
  });
});

describe('what fails here', () => {
  test.each([
    ['rtk bun test', 'error: unknown command "bun" for "rtk"', 1, 'rtk bun', 'unknown command'],
    [
      'golangci-lint run',
      '(eval):1: command not found: golangci-lint',
      127,
      'golangci-lint',
      'unknown command',
    ],
    [
      'cd web && pytest -q 2>&1 | tail -3',
      'bash: line 1: pytest: command not found',
      0,
      'pytest',
      'unknown command',
    ],
    [
      'npm test',
      '> shop@1.0.0 test\n> vitest run\n\nsh: 1: vitest: not found',
      127,
      'vitest',
      'unknown command',
    ],
    ['npm run lint', 'npm error Missing script: "lint"', 1, 'npm run lint', 'not found'],
    ['bun run lint', 'error: Script not found "lint"', 1, 'bun run lint', 'not found'],
    ['python -m pytest', '/usr/bin/python: No module named pytest', 1, 'python -m pytest', 'not found'],
    ['make lint', "make: *** No rule to make target 'lint'.  Stop.", 2, 'make lint', 'not found'],
    ['mise run lint:full', 'mise ERROR no task lint:full found', 1, 'mise run lint:full', 'not found'],
    ['cargo nextest run', 'error: no such command: `nextest`', 101, 'cargo nextest', 'unknown command'],
    [
      'docker ps',
      'permission denied while trying to connect to the Docker daemon socket',
      1,
      'docker',
      'no permission',
    ],
    ['./deploy', 'bash: line 1: ./deploy: Permission denied', 126, 'deploy', 'no permission'],
    [
      'git status',
      "fatal: detected dubious ownership in repository at '/home/ana/shop'",
      128,
      'git',
      'wrong owner',
    ],
  ])('%s: %j', (command, text, exit, program, why) => {
    expect(bash(command, text, exit).failed).toMatchObject({ program, why });
    expect(bash(command, text, exit).worked).toBeUndefined();
  });

  test('a file that is too large to read', () => {
    const size =
      '<tool_use_error>File content (3.1MB) exceeds maximum allowed size (256KB). Please use offset</tool_use_error>';
    expect(facts('Read', { file_path: 'a' }, { text: size, outcome: 'failed' }).failed).toMatchObject({
      program: 'Read of > 256 KB',
      why: 'too large to read',
    });
    const tokens = 'File content (31616 tokens) exceeds maximum allowed tokens (25000). Please';
    expect(facts('Read', { file_path: 'a' }, { text: tokens, outcome: 'failed' }).failed?.program).toBe(
      'Read of > 25000 tokens',
    );
  });

  test('a tool of the host that cannot be run', () => {
    const text = "ENOENT: no such file or directory, posix_spawn '/opt/claude/2.1.36/claude'";
    expect(facts('Grep', { pattern: 'x' }, { text, outcome: 'failed' }).failed).toMatchObject({
      program: 'Grep',
      why: 'not found',
    });
    const none = '<tool_use_error>Error: No such tool available: Foo</tool_use_error>';
    expect(facts('Foo', {}, { text: none, outcome: 'failed' }).failed).toMatchObject({
      program: 'Foo',
      why: 'unknown command',
    });
  });

  test.each([
    ['cat nowhere.txt', 'cat: nowhere.txt: No such file or directory', 1],
    ['cd nowhere', 'bash: line 1: cd: nowhere: No such file or directory', 1],
    ['npm test', "Error: Cannot find module './cart'\n    at x", 1],
    ['pytest', 'E   ModuleNotFoundError: No module named shop.cart\n1 error in 0.1s', 2],
    ['grep -rn "command not found" docs', 'docs/a.md: foo: command not found', 0],
    ['rg "not found"', 'pytest: command not found\npython: No module named pytest', 0],
    ['curl -s localhost/x', '404: page: not found', 22],
    ['make', "make: *** No rule to make target 'a.o', needed by 'all'.  Stop.", 2],
    ['node a.js', 'Error: EACCES: permission denied, open "x"', 1],
    ['which gh', 'gh not found', 1],
  ])('but not of the work: %s', (command, text, exit) => {
    expect(bash(command, text, exit).failed).toBeUndefined();
  });

  test.each([
    ['bun test', ['bun test']],
    ['cd web && uv run pytest -q && git status', ['uv run pytest', 'git status']],
    ['npm run lint; ls -la', ['ls']],
    ['npm test | tail -5', undefined],
  ])('what worked: %s', (command, worked) => {
    expect(bash(command, 'fine').worked).toEqual(worked);
  });

  test.each([
    ['bun test', 'rtk bun', 'bun'],
    ['python3 -m pytest', 'python -m pytest', 'python3 -m pytest'],
    ['uv run pytest', 'pytest', 'uv run pytest'],
    ['npx vitest run', 'vitest', 'npx vitest'],
    ['python3', 'python', 'python3'],
    ['npm run build', 'npm run lint', undefined],
    ['npm install', 'npm run lint', undefined],
    ['git status', 'gt', undefined],
    ['grep pytest', 'pytest', undefined],
  ])('of %s, in place of %s: %s', (worked, failed, expected) => {
    expect(cureIn(worked, failed)).toBe(expected);
  });
});

describe('a call that was not permitted', () => {
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
    ['claude-code', claude('denied', { toolDenialKind: 'permission-rule' }), 'denied'],
    ['claude-code', claude('denied', { toolDenialKind: 'automode-blocked' }), 'denied'],
    ['claude-code', claude('stopped', { toolDenialKind: 'interrupted' }), 'interrupted'],
    ['claude-code', claude('no', { toolUseResult: { permissionDecision: 'deny' } }), 'denied'],
    ['claude-code', claude('This command requires approval'), 'denied'],
    [
      'claude-code',
      claude("Claude requested permissions to use Bash, but you haven't granted it yet."),
      'denied',
    ],
    ['claude-code', claude('Permission to use Bash with command npm test has been denied.'), 'denied'],
    ['claude-code', claude('Permission for this action has been denied. Reason: outside'), 'denied'],
    ['claude-code', claude('PreToolUse:Bash hook error: [./guard.sh]: no tests today'), 'denied'],
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
      'denied',
    ],
    ['codex', codex('an MCP server says: rejected by user'), 'unknown'],
    ['gemini', gemini('cancelled', '[Operation Cancelled] Reason: User denied execution.'), 'rejected'],
    ['gemini', gemini('error', 'Tool execution denied by policy. Ask first.'), 'denied'],
    ['pi', pi('Exec denied (gateway id=1, approval-timeout): npm test'), 'denied'],
    ['pi', pi('1 failed\n\nCommand aborted'), 'interrupted'],
  ])('%s: %j', (name, record, outcome) => {
    expect(events(name, record).map((event) => event.type === 'result' && event.outcome)).toEqual([outcome]);
  });

  test.each([
    ['rejected', { by: 'person' }],
    ['denied', { by: 'rules' }],
    ['interrupted', undefined],
  ] as const)('%s is nothing that it did', (outcome, refused) => {
    const text = '[main 1a2b3c4] x\nFAILED test_a.py::test_b\nbash: npm: command not found';
    const done = facts('Bash', { command: 'npm test && git commit -m x > a.ts' }, { text, outcome });
    expect(done).toEqual({
      tool: 'Bash',
      command: 'npm test && git commit -m x > a.ts',
      edits: [],
      ...(refused && { refused }),
    });
  });
});

test('facts of a call without a result, of a result without a call, and of neither, are plain data', () => {
  const where = { root: ROOT, cwd: undefined };
  const long = 'echo x;'.repeat(1000);
  const call = { type: 'call' as const, id: '1', tool: 'Bash', input: { command: long }, at: 0 };
  const result = { type: 'result' as const, id: 'r', at: 1, text: 'x', outcome: 'ok' as const };
  expect(callFacts(call, undefined, where)).toEqual({
    tool: 'Bash',
    command: long.slice(0, 2000),
    edits: [],
  });
  expect(callFacts(undefined, result, where)).toEqual({ tool: 'tool', edits: [], worked: ['tool'] });
  expect(callFacts(undefined, undefined, where)).toEqual({ tool: 'tool', edits: [] });
  const all = callFacts(call, { ...result, call: '1' }, where);
  expect(JSON.parse(JSON.stringify(all))).toEqual(all);
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
  const outcome = fc.constantFrom<CallOutcome>(
    'ok',
    'failed',
    'unknown',
    'denied',
    'rejected',
    'interrupted',
  );
  fc.assert(
    fc.property(command, output, outcome, (line, text, how) => {
      const done = facts('Bash', { command: line }, { text, outcome: how });
      expect(JSON.parse(JSON.stringify(done))).toEqual(done);
    }),
    { numRuns: runs(60) },
  );
});

test.each([' ', 'a', '=', '(', '[a', '1 failed ', 'a/', '\t', 'a:1:1: ', '● a › '])(
  'a long line of "%s" is read quickly',
  (part) => {
    const text = part.repeat(60_000 / part.length);
    const start = performance.now();
    facts('Bash', { command: 'npm test | tail' }, { text });
    facts('Bash', { command: 'npm test' }, { text: `x\n${text}`, outcome: 'failed' });
    expect(performance.now() - start).toBeLessThan(2000);
  },
);
