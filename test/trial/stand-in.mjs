/**
 * Stands in for Claude Code's command line where that is not installed: reads its settings, asks the model by its
 * protocol, runs the hooks and the commands, and files and prints what Claude Code files and prints. What it cannot
 * show is whether the real program still does all that; scripts/trial/stub.ts shows it.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const args = process.argv.slice(2);
if (args.includes('--version')) {
  console.log('0.0.0 (a stand-in for Claude Code)');
  process.exit(0);
}
const cwd = process.cwd();
const { HOME = '' } = process.env;
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const json = (path) => JSON.parse(read(path) || '{}');
const settings = json(join(HOME, '.claude/settings.json'));
const local = json(join(cwd, '.claude/settings.local.json'));
Object.assign(process.env, settings.env);
const resumed = args.includes('--resume') ? args[args.indexOf('--resume') + 1] : undefined;
const session = resumed ?? randomUUID();
const words = args.at(-1);
const file = join(HOME, '.claude/projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'), `${session}.jsonl`);
mkdirSync(dirname(file), { recursive: true });

const print = (line) => console.log(JSON.stringify({ ...line, session_id: session }));
const record = (line) => {
  const always = {
    uuid: randomUUID(),
    sessionId: session,
    cwd,
    isSidechain: false,
    timestamp: new Date().toISOString(),
  };
  appendFileSync(file, `${JSON.stringify({ ...always, ...line })}\n`);
};

/** Runs the hooks of an event and gives what they add. */
function hooks(event, input) {
  const own = [...(settings.hooks?.[event] ?? []), ...(local.hooks?.[event] ?? [])];
  const commands = own.flatMap((group) => group.hooks).filter(({ type }) => type === 'command');
  const given = {
    session_id: session,
    transcript_path: file,
    cwd,
    hook_event_name: event,
    permission_mode: 'default',
    ...input,
  };
  return commands.flatMap(({ command, args: more = [] }) => {
    const options = { cwd, encoding: 'utf8', input: JSON.stringify(given) };
    const { stdout } =
      more.length > 0 ? spawnSync(command, more, options) : spawnSync('sh', ['-c', command], options);
    let content = stdout.trim();
    if (content.startsWith('{')) content = JSON.parse(content).hookSpecificOutput?.additionalContext ?? '';
    if (content)
      record({
        type: 'attachment',
        attachment: { type: 'hook_additional_context', content: [content], hookEvent: event },
      });
    return content ? [content] : [];
  });
}

/** The conversation since the last compaction, as the model gets it. */
const messages = () => {
  const lines = read(file)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const since = lines.slice(
    lines.findLastIndex(({ isCompactSummary }) => isCompactSummary) +
      (lines.some(({ isCompactSummary }) => isCompactSummary) ? 0 : 1),
  );
  return since.flatMap(({ type, message, attachment }) => {
    if (type === 'attachment')
      return [{ role: 'user', content: [{ type: 'text', text: attachment.content.join('\n') }] }];
    return message ? [{ role: message.role, content: message.content }] : [];
  });
};

async function ask(more = [], tools = true) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'stub',
      stream: true,
      system: read(join(cwd, 'CLAUDE.md')),
      messages: [...messages(), ...more],
      ...(tools ? { tools: [{ name: 'Bash' }] } : {}),
    }),
  });
  if (!response.ok) throw new Error(`API Error: ${response.status} ${await response.text()}`);
  const events = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)));
  const of = (type) => events.find((event) => event.type === type);
  const { message } = of('message_start');
  const block = of('content_block_start').content_block;
  const { delta } = of('content_block_delta');
  const part =
    block.type === 'text'
      ? { type: 'text', text: delta.text }
      : { ...block, input: JSON.parse(delta.partial_json) };
  return { ...message, content: [part], stop_reason: of('message_delta').delta.stop_reason };
}

const usage = { input_tokens: 0, output_tokens: 0 };
const count = (own) => {
  for (const key of Object.keys(usage)) usage[key] += own[key] ?? 0;
};

async function turn() {
  hooks('SessionStart', { source: resumed ? 'resume' : 'startup' });
  print({ type: 'system', subtype: 'init', model: 'stub' });
  hooks('UserPromptSubmit', { prompt: words });
  record({ type: 'user', message: { role: 'user', content: words } });
  for (;;) {
    const message = await ask();
    count(message.usage);
    record({ type: 'assistant', message });
    print({ type: 'assistant', message });
    const [part] = message.content;
    if (part.type === 'text') return part.text;
    const done = spawnSync('sh', ['-c', part.input.command], { cwd, encoding: 'utf8' });
    const content = [
      {
        type: 'tool_result',
        tool_use_id: part.id,
        content: done.stdout + done.stderr,
        is_error: done.status !== 0,
      },
    ];
    record({ type: 'user', message: { role: 'user', content } });
    print({ type: 'user', message: { role: 'user', content } });
    await new Promise((later) => setTimeout(later, 30));
  }
}

async function compact() {
  hooks('PreCompact', { trigger: 'manual' });
  const text = 'Respond with TEXT ONLY: a summary.';
  const message = await ask([{ role: 'user', content: text }], false);
  record({ type: 'system', subtype: 'compact_boundary' });
  const summary = `This session is being continued. The summary: ${message.content[0].text}`;
  record({ type: 'user', isCompactSummary: true, message: { role: 'user', content: summary } });
  hooks('SessionStart', { source: 'compact' });
  return '';
}

try {
  const result = words === '/compact' ? await compact() : await turn();
  hooks('Stop', { stop_hook_active: false });
  print({ type: 'result', subtype: 'success', is_error: false, result, usage, stop_reason: 'end_turn' });
} catch (error) {
  print({ type: 'result', subtype: 'error', is_error: true, result: error.message, usage });
  process.exitCode = 1;
}
