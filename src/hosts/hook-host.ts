import type { JsonObject } from '../base/text/json.ts';
import { getEvent, type HookAnswer, type HookHost, type HookInput, readCommon } from './protocol.ts';

/** A host whose hooks have the shape of Claude Code's: what differs from host to host. */
interface HookRow extends Omit<HookHost, 'read' | 'render' | 'silence' | 'replaces'> {
  silence?: string;
  replaces?: true;
  /** Where its answer has text for the model: in `hookSpecificOutput`, or also at the top, as Copilot reads it. */
  contextAt: 'event' | 'both';
  /** The fields that put another text in the place of a tool's result; absent if the host has no such thing. */
  replace?(answer: HookAnswer): JsonObject | undefined;
  /** The answer to an event that does not have the usual form; `undefined` for that form. */
  special?(event: string, answer: HookAnswer): string | undefined;
  refine?(input: HookInput, json: JsonObject, env: NodeJS.ProcessEnv): HookInput;
}

export function defineHookHost({ replace, special, refine, contextAt, ...row }: HookRow): HookHost {
  const host: HookHost = {
    silence: '',
    replaces: replace !== undefined,
    ...row,
    read(json, env = process.env) {
      const input = readCommon(json);
      return refine?.(input, json, env) ?? input;
    },
    render(event, answer) {
      const { is, says } = getEvent(host, event);
      const text = special?.(event, answer);
      if (text !== undefined) return text;

      const { context } = answer;
      const { hookSpecificOutput: inner, ...replaced } = (is === 'tool' && replace?.(answer)) || {};
      const isReplaced = inner !== undefined || Object.keys(replaced).length > 0;

      if (!says || (context === undefined && !isReplaced)) return host.silence;

      const specific = (context ?? inner) && {
        hookEventName: event,
        additionalContext: context,
        ...(inner as object),
      };

      const top = contextAt === 'both' ? { additionalContext: context } : {};

      return `${JSON.stringify({ ...top, ...replaced, hookSpecificOutput: specific })}\n`;
    },
  };

  return host;
}
