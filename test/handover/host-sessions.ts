/**
 * One piece of work as each host writes it: a ban, a task list, a file that is read and edited, a test that fails, a
 * commit, a refused call, a choice among options, an open question.
 */
const time = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 9, minute)).toISOString();
const lines = (records: readonly object[]): string =>
  `${records.map((one) => JSON.stringify(one)).join('\n')}\n`;

const ASK = 'Fix the rounding of totals. Do not touch the coupon code.';
const OPTIONS = 'Two ways:\n1. Round at the end\n2. Round each line\n\nWhich one do you want?';
const OFFER = 'Committed. Shall I push the branch?';
const FAILURE = 'FAILED tests/test_cart.py::test_total - assert 10.01 == 10.0\n1 failed, 3 passed in 0.12s';
const COMMIT = '[feat/login 1a2b3c4] Round\n 1 file changed, 2 insertions(+)';

/** Codex: each message is an event and an item; results of the shell have the status on top. */
export function codexSession(cwd: string): string {
  let minute = 0;
  const record = (type: string, payload: object): object => ({ timestamp: time(minute++), type, payload });
  const said = (role: 'user' | 'assistant', text: string): object[] => [
    record('event_msg', { type: role === 'user' ? 'user_message' : 'agent_message', message: text }),
    record('response_item', {
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    }),
  ];
  let calls = 0;
  const ran = (cmd: string, output: string, exit = 0): object[] => {
    const call_id = `call_${calls++}`;
    return [
      record('response_item', {
        type: 'function_call',
        name: 'exec_command',
        arguments: JSON.stringify({ cmd, workdir: cwd }),
        call_id,
      }),
      record('response_item', {
        type: 'function_call_output',
        call_id,
        output: `Chunk ID: ${calls}\nWall time: 0.2 seconds\nProcess exited with code ${exit}\nOutput:\n${output}`,
      }),
    ];
  };
  const patch = '*** Begin Patch\n*** Update File: src/cart.py\n@@\n-a\n+b\n*** End Patch';
  const plan = [
    { step: 'Round to cents', status: 'in_progress' },
    { step: 'Test it', status: 'pending' },
    { step: 'Look around', status: 'completed' },
  ];
  return lines([
    record('session_meta', { id: 'codex-1', cwd, git: { branch: 'feat/login' }, cli_version: '0.169.0' }),
    record('turn_context', { cwd, model: 'gpt-6-codex' }),
    record('response_item', {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: '<environment_context>\nnever use tabs\n</environment_context>' },
      ],
    }),
    ...said('user', ASK),
    record('response_item', {
      type: 'function_call',
      name: 'update_plan',
      arguments: JSON.stringify({ plan }),
      call_id: 'plan_1',
    }),
    record('response_item', { type: 'function_call_output', call_id: 'plan_1', output: 'Plan updated' }),
    ...ran('sed -n 1,40p src/money.py', 'x'),
    record('response_item', {
      type: 'custom_tool_call',
      name: 'apply_patch',
      input: patch,
      call_id: 'patch_1',
    }),
    record('response_item', {
      type: 'custom_tool_call_output',
      call_id: 'patch_1',
      output: JSON.stringify({
        output: 'Success. Updated the following files:\nM src/cart.py\n',
        metadata: { exit_code: 0 },
      }),
    }),
    ...ran('pytest -q', FAILURE, 1),
    record('response_item', {
      type: 'function_call',
      name: 'exec_command',
      arguments: JSON.stringify({ cmd: 'rm -rf build' }),
      call_id: 'call_no',
    }),
    record('response_item', {
      type: 'function_call_output',
      call_id: 'call_no',
      output: 'exec command rejected by user',
    }),
    ...said('assistant', OPTIONS),
    ...said('user', '2'),
    ...ran('git commit -am "Round"', COMMIT),
    ...said('assistant', OFFER),
  ]);
}

/** Gemini CLI: calls and results in the record of the answer, the status of a command under its output. */
export function geminiSession(cwd: string): string {
  let minute = 0;
  const call = (name: string, args: object, output: string, status = 'success'): object => ({
    id: `${name}-${minute}`,
    name,
    args,
    status,
    timestamp: time(minute),
    result: [
      {
        functionResponse: {
          id: `${name}-${minute}`,
          name,
          response: status === 'cancelled' ? { error: output } : { output },
        },
      },
    ],
  });
  const shell = (command: string, output: string, exit = 0): object =>
    call('run_shell_command', { command }, `Output: ${output}\nExit Code: ${exit}\nProcess Group PGID: 1`);
  const user = (text: string, more: object = {}): object => ({
    id: `u${minute}`,
    timestamp: time(minute++),
    type: 'user',
    content: [{ text }],
    ...more,
  });
  const gemini = (text: string, toolCalls: object[] = []): object => ({
    id: `g${minute}`,
    timestamp: time(minute++),
    type: 'gemini',
    content: text,
    toolCalls,
    model: 'gemini-4-pro',
  });
  const todos = [
    { description: 'Round to cents', status: 'in_progress' },
    { description: 'Test it', status: 'pending' },
  ];
  const file =
    '\n--- Content from referenced files ---\nnever run anything\n--- End of content ---\nalways push';
  return lines([
    { sessionId: 'gemini-1', projectHash: 'p', startTime: time(0), directories: [cwd] },
    user(`${ASK}${file}`),
    gemini('Looking.', [call('write_todos', { todos }, 'Successfully updated the todo list.')]),
    gemini('', [call('read_file', { file_path: `${cwd}/src/money.py` }, 'x')]),
    gemini('', [call('replace', { file_path: `${cwd}/src/cart.py` }, 'Successfully modified file')]),
    gemini('', [shell('pytest -q', FAILURE, 1)]),
    gemini('', [
      call(
        'run_shell_command',
        { command: 'rm -rf build' },
        '[Operation Cancelled] Reason: User denied execution.',
        'cancelled',
      ),
    ]),
    gemini(OPTIONS),
    user('2'),
    gemini('', [shell('git commit -am "Round"', COMMIT)]),
    gemini(OFFER),
  ]);
}

/** pi and OpenClaw before its database: a tree of entries. */
export function piSession(cwd: string): string {
  let count = 0;
  let parentId: string | null = null;
  const entry = (message: object): object => {
    count += 1;
    const id = `e${count}`;
    const made = { type: 'message', id, parentId, timestamp: time(count), message };
    parentId = id;
    return made;
  };
  const user = (text: string): object => entry({ role: 'user', content: text });
  const agent = (text: string): object => entry({ role: 'assistant', content: [{ type: 'text', text }] });
  const used = (name: string, args: object, output: string, isError = false): object[] => [
    entry({ role: 'assistant', content: [{ type: 'toolCall', id: `c${count}`, name, arguments: args }] }),
    entry({
      role: 'toolResult',
      toolCallId: `c${count - 1}`,
      toolName: name,
      content: [{ type: 'text', text: output }],
      isError,
    }),
  ];
  const plan = [
    { step: 'Round to cents', status: 'in_progress' },
    { step: 'Test it', status: 'pending' },
  ];
  return lines([
    { type: 'session', version: 3, id: 'pi-1', timestamp: time(0), cwd },
    user(ASK),
    ...used('update_plan', { plan }, 'ok'),
    ...used('read', { path: 'src/money.py', offset: 1, limit: 40 }, 'x'),
    ...used('edit', { path: 'src/cart.py', oldText: 'a', newText: 'b' }, 'ok'),
    ...used('bash', { command: 'pytest -q' }, `${FAILURE}\n\nCommand exited with code 1`, true),
    agent(OPTIONS),
    user('2'),
    ...used('bash', { command: 'git commit -am "Round"' }, COMMIT),
    agent(OFFER),
  ]);
}
