import { getNumber, getObject, getString, type JsonObject, toJsonText } from '../base/text/json.ts';
import { extractCommandWords } from '../transcript/content.ts';
import {
  HOST_EVENTS,
  type HookAnswer,
  type HookHost,
  type HookInput,
  markSpeaker,
  readCommon,
} from './protocol.ts';

/** Characters of one piece of context: hosts that run our code set no limit, models read the start of a text best. */
const CONTEXT_CHARACTERS = 16_000;

/**
 * A host that runs JavaScript, in which a plugin of ours asks `openAgentMemory`: the events are those of
 * `AgentMemory.tell`, and the answer is an `AgentAnswer`.
 * @param row what differs from host to host
 */
export function defineInProcessHost(
  row: Pick<HookHost, 'name'> &
    Partial<Omit<HookHost, 'read' | 'render'>> & {
      /** Who wrote the prompt, where the host's own fields tell. */
      speakerIn?: (json: JsonObject) => HookInput['speaker'];
      /** Why a session starts, by the host's own words. */
      sourceIn?: (input: HookInput) => string | undefined;
    },
): HookHost {
  const { speakerIn, sourceIn, ...rest } = row;
  return {
    events: Object.fromEntries(HOST_EVENTS.map((event) => [event, { is: event, says: true }])),
    silence: '{}\n',
    inProcess: true,
    replaces: true,
    room: { characters: CONTEXT_CHARACTERS },
    ...rest,
    read(json) {
      const input: HookInput = {
        ...readCommon(json),
        messages: listRecords(json.messages),
        contextUse: readContextUse(json),
        standing: json.standing === true,
        isAnswered: json.isAnswered === true,
        summary: getString(json, 'summary'),
      };
      input.source = sourceIn?.(input) ?? input.source;

      const typed = getString(json, 'typed');
      if (typed !== undefined) input.prompt = extractCommandWords(typed);

      const isCommand = typed !== undefined && input.prompt === '';
      const written = getString(json, 'speaker');
      const named = written === 'machine' || written === 'parent' ? written : undefined;
      const speaker = speakerIn?.(json) ?? named ?? (isCommand ? 'machine' : undefined);
      return speaker === undefined ? input : markSpeaker(speaker, input);
    },
    render: (_, answer) => `${JSON.stringify(pickAnswer(answer))}\n`,
  };
}

/** The answer of `AgentMemory.tell`. */
export const pickAnswer = ({ context, standing, hold, summaryRequest, toolOutput }: HookAnswer) => ({
  ...{ context, standing, hold, summaryRequest, output: toolOutput },
});

function readContextUse(json: JsonObject): HookInput['contextUse'] {
  const context = getObject(json, 'contextUse') ?? getObject(json, 'context');
  const [used, window] = [getNumber(context, 'used'), getNumber(context, 'window')];
  return used && window ? { used, window } : undefined;
}

/** Text that the plugin adds to a prompt stays in the conversation; a start would add it before there is one. */
const KEPT = { silentStart: true } as const;

export const opencode = defineInProcessHost({ name: 'opencode', ...KEPT });
export const kilo = defineInProcessHost({ name: 'kilo', ...KEPT });
export const pi = defineInProcessHost({
  name: 'pi',
  tool: 'session_scratchpad',
  ...KEPT,
  speakerIn: (json) => (['user', undefined].includes(getString(json, 'messageType')) ? undefined : 'machine'),
  sourceIn({ source, contextUse }) {
    if (source === 'startup' && contextUse !== undefined) return 'resume';
    return { new: 'clear', reload: 'resume' }[source ?? ''];
  },
});

/** The messages as records of a session: what OpenClaw puts into the person's place is known there. */
function listRecords(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  return toJsonText(messages.map((message: unknown) => ({ type: 'message', message })));
}
