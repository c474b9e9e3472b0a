import { spawn } from 'node:child_process';
import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry';

/** How `scratchpad` is started; `scratchpad install openclaw` writes it here. */
const PROGRAM = ['scratchpad'];
const TIMEOUT_MS = 5000;
/** Messages handed over for the state; the scratchpad looks at the last twenty. */
const MESSAGES = 40;
const MESSAGE_CHARACTERS = 20_000;

/** Sessions since the gateway's start: hints are counted from there, or from the session's own start. */
const seen = new Set();

export default definePluginEntry({
  id: 'scratchpad',
  name: 'Scratchpad',
  register(api) {
    api.on('before_prompt_build', async (event, ctx) => {
      const key = ctx?.sessionKey ?? ctx?.sessionId;
      const source = seen.has(key) ? undefined : 'startup';
      seen.add(key);
      const text = await ask('before_prompt_build', ctx, {
        source,
        prompt: event.prompt,
        messages: plain(event.messages),
      });
      return text === undefined ? undefined : { prependContext: text };
    });
    api.on('session_start', (_event, ctx) => {
      seen.delete(ctx?.sessionKey ?? ctx?.sessionId);
    });
    api.on('before_compaction', async (_event, ctx) => {
      await ask('before_compaction', ctx, {});
    });
    api.on('after_compaction', async (_event, ctx) => {
      await ask('after_compaction', ctx, {});
    });
  },
});

/** One run of the hook. Whatever goes wrong there, the turn goes on without it. */
function ask(event, ctx, more) {
  return new Promise((resolve) => {
    const cwd = ctx?.workspaceDir;
    if (!cwd) return resolve(undefined);
    const [command, ...args] = PROGRAM;
    const child = spawn(command, [...args, 'hook', 'openclaw', event], {
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.on('error', () => resolve(undefined));
    child.on('close', () => {
      try {
        resolve(JSON.parse(out).context || undefined);
      } catch {
        resolve(undefined);
      }
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ session_id: ctx.sessionKey ?? ctx.sessionId, cwd, ...more }));
  });
}

/** Role and words of the last messages. */
function plain(messages) {
  return (Array.isArray(messages) ? messages : []).slice(-MESSAGES).flatMap((message) => {
    const { role, content, timestamp } = message ?? {};
    const words =
      typeof content === 'string'
        ? content
        : (Array.isArray(content) ? content : [])
            .filter((block) => block?.type === 'text')
            .map((block) => block.text)
            .join('\n');
    if (!words || (role !== 'user' && role !== 'assistant')) return [];
    return [{ role, content: words.slice(0, MESSAGE_CHARACTERS), ...(timestamp ? { timestamp } : {}) }];
  });
}
