import { getList, getString, type JsonObject, toMembers } from '../../base/text/json.ts';
import { defineInProcessHost, pickAnswer } from '../in-process.ts';
import { getEvent, type HookHost, type HookInput } from '../protocol.ts';
import { claudeCode } from './protocol.ts';

/**
 * Set by our mod for everything that Claude Code starts: the session whose prompts and compactions it answers. It ends with
 * the host's process, so a host that was killed leaves none.
 */
const MARK = 'SCRATCHPAD_MOD';
/** How long after the mod's answer the hook of the same prompt comes at the latest. */
const SAME_PROMPT_MS = 10_000;

const inProcess = defineInProcessHost({
  name: 'claude-code',
  holds: true,
  showsGit: true,
  lateTools: true,
  tool: 'mcp__plugin_scratchpad_scratchpad__session_scratchpad',
  ...(claudeCode.isOneShot === undefined ? {} : { isOneShot: claudeCode.isOneShot }),
});

/**
 * Claude Code through the mod of our plugin (`templates/claude-code-plugin/hooks/register.js`): JavaScript in the host, which
 * asks our server. Mods: https://code.claude.com/docs/en/plugins/mods/reference
 */
export const claudeMod: HookHost = {
  ...inProcess,
  read(json) {
    const results = getList(json, 'results').map((value) => {
      const result = toMembers(value);
      const read = (name: string): string => getString(result, name) ?? '';
      return { id: read('id'), about: read('about'), text: read('text') };
    });
    return { ...inProcess.read(json), ...(results.length > 0 ? { results } : {}) };
  },
  render: (_, answer) =>
    `${JSON.stringify({ ...pickAnswer(answer), prunes: answer.prunes, kept: answer.kept })}\n`,
};

/** The hooks where the mod is at work: it says what a start would have said, and answers compactions. */
const behindMod: HookHost = {
  ...claudeCode,
  silentStart: true,
  events: { ...claudeCode.events, PreCompact: {}, PostCompact: {} },
};

/** The host for an event of Claude Code's hooks. */
export const chooseClaudeHost = ({ session }: HookInput, env: NodeJS.ProcessEnv): HookHost =>
  session !== undefined && env[MARK] === session ? behindMod : claudeCode;

/** The prompts that the mod has answered: Claude Code reports each to its hooks afterwards. */
export class ModPrompts {
  readonly #answered = new Map<string, number>();

  /** @returns whether the mod has answered this prompt already */
  sees(host: HookHost, event: string | undefined, json: JsonObject | undefined, now: number): boolean {
    if (getEvent(host, event ?? getString(json, 'hook_event_name') ?? '').is !== 'prompt') return false;

    const session = getString(json, 'session_id') ?? '';
    const before = this.#answered.get(session);
    this.#answered.delete(session);
    if (host === claudeMod) this.#answered.set(session, now);

    return host === claudeCode && before !== undefined && now - before < SAME_PROMPT_MS;
  }
}
