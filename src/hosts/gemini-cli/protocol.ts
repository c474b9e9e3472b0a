import { join } from 'node:path';
import { tryReadText } from '../../base/fs/index.ts';
import { isObject } from '../../base/text/json.ts';
import { removeElements } from '../../transcript/content.ts';
import { defineHookHost } from '../define-host.ts';

/** The element in which Gemini CLI puts text of other hooks before the person's words. */
const INJECTED_ELEMENTS = new Set(['hook_context']);
/** Gemini CLI shows the model a replaced result as an error of the tool. */
const NOT_AN_ERROR = '[The command has run, this is no error: its output is too long to be shown here.]';

/** Hooks of Gemini CLI: https://geminicli.com/docs/hooks/reference. It accepts nothing but JSON on stdout. */
export const geminiCli = defineHookHost({
  name: 'gemini-cli',
  events: {
    SessionStart: { kind: 'start', hook: {} },
    BeforeAgent: { kind: 'prompt', carriesText: true, hook: {} },
    // Announced before every request: the prompt's hook finds a compression that happened in the chat file.
    PreCompress: { kind: 'before-compaction' },
    AfterAgent: { kind: 'stop', hook: {} },
    AfterTool: { kind: 'tool', carriesText: true, hook: { matcher: 'run_shell_command|web_fetch|mcp_.*' } },
    SessionEnd: { kind: 'end', hook: {} },
  },
  silence: '{}\n',
  // Text for SessionStart goes before the first prompt, and a prompt with such text at the start is left out when
  // the session is resumed (0.61). BeforeAgent comes right after it anyway.
  silentStart: true,
  unseenCompaction: true,
  compactsAt: readCompressionLimit,
  // Nothing that a hook is handed tells `gemini -p` from a session.
  isOneShot: () => readCommandLine(process.ppid).some((word) => /^(?:-p|--prompt)(?:=|$)/.test(word)),
  tool: 'mcp_scratchpad_session_scratchpad',
  refine(input) {
    const prompt = removeElements(input.prompt ?? '', INJECTED_ELEMENTS).trim();
    return prompt === '' ? input : { ...input, prompt };
  },
  replaces: true,
  // A denied result is replaced by the reason: the only way to shorten an output here.
  renderSpecial(_, { toolText, context }) {
    if (toolText === undefined) return undefined;
    const reason = [NOT_AN_ERROR, toolText, context].filter(Boolean).join('\n');
    return `${JSON.stringify({ decision: 'deny', reason })}\n`;
  },
});

const WINDOW_TOKENS = 1_048_576;
/** Fraction of the window at which Gemini CLI compresses unless its settings say otherwise. */
const USUAL_SHARE = 0.5;

/** Tokens at which Gemini CLI compresses: `model.compressionThreshold` of the project's settings, or of the person's. */
async function readCompressionLimit(root: string, env: NodeJS.ProcessEnv): Promise<number> {
  const home = env.GEMINI_CLI_HOME || env.HOME;
  for (const folder of [root, ...(home === undefined ? [] : [home])]) {
    const text = tryReadText(join(folder, '.gemini', 'settings.json'), 'host');
    if (!text?.includes('compressionThreshold')) continue;

    const { parse } = await import('jsonc-parser');
    const settings: unknown = parse(text);
    const model = isObject(settings) ? settings.model : undefined;
    const share = isObject(model) ? model.compressionThreshold : undefined;
    if (typeof share === 'number' && share > 0 && share <= 1) return Math.round(share * WINDOW_TOKENS);
  }

  return WINDOW_TOKENS * USUAL_SHARE;
}

/** The words of a process; none if the system does not tell. */
const readCommandLine = (pid: number): string[] =>
  tryReadText(`/proc/${pid}/cmdline`, 'system')?.split('\0') ?? [];
