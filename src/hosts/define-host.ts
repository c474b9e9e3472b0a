import { getNumber, getObject, getString, type JsonObject, toJsonText } from '../base/text/json.ts';
import { extractCommandWords } from '../transcript/content.ts';
import {
  getEvent,
  HOST_EVENTS,
  type HookAnswer,
  type HookHost,
  type HookInput,
  markSpeaker,
  readCommon,
} from './protocol.ts';

/** Characters of one piece of context that every host with hooks takes: the strictest cuts at 10,000. */
const HOOK_CHARACTERS = 9500;
/** The same for hosts that run our code: they set no limit, but models read the start of a text best. */
const IN_PROCESS_CHARACTERS = 16_000;

/** A host whose hooks are like those of Claude Code: what differs from host to host. */
interface HookRow extends Omit<HookHost, 'read' | 'render' | 'silence' | 'replaces' | 'room'> {
  silence?: string;
  replaces?: true;
  room?: HookHost['room'];
  /** Set if an answer carries its text at the top, too, and not only in `hookSpecificOutput`. */
  repeatsContext?: true;
  /** The fields that replace the result of a tool; absent if the host cannot replace it. */
  replace?(answer: HookAnswer): JsonObject | undefined;
  /** The answer to an event that does not have the usual form; `undefined` for that form. */
  renderSpecial?(event: string, answer: HookAnswer): string | undefined;
  refine?(input: HookInput, json: JsonObject, env: NodeJS.ProcessEnv): HookInput;
}

export function defineHookHost(row: HookRow): HookHost {
  const { replace, renderSpecial, refine, repeatsContext, ...rest } = row;
  const host: HookHost = {
    silence: '',
    replaces: replace !== undefined,
    room: { characters: HOOK_CHARACTERS },
    ...rest,
    read(json, env = process.env) {
      const input = readCommon(json);
      return refine?.(input, json, env) ?? input;
    },
    render(event, answer) {
      const special = renderSpecial?.(event, answer);
      if (special !== undefined) return special;

      const { kind, carriesText } = getEvent(host, event);
      const { context } = answer;
      const replacement = kind === 'tool' ? replace?.(answer) : undefined;
      if (!carriesText || (context === undefined && replacement === undefined)) return host.silence;

      const { hookSpecificOutput: replacedOutput, ...topFields } = replacement ?? {};
      const specific =
        context === undefined && replacedOutput === undefined
          ? undefined
          : { hookEventName: event, additionalContext: context, ...(replacedOutput as object) };
      const repeated = repeatsContext ? { additionalContext: context } : {};

      return `${JSON.stringify({ ...repeated, ...topFields, hookSpecificOutput: specific })}\n`;
    },
  };

  return host;
}

interface InProcessRow extends Partial<Omit<HookHost, 'read' | 'render'>> {
  name: string;
  /** Who wrote the prompt, where the host's own fields tell. */
  detectSpeaker?(json: JsonObject): HookInput['speaker'];
  /** Why a session starts, from the host's own words. */
  readSource?(input: HookInput): string | undefined;
}

/**
 * A host that runs JavaScript, in which a plugin of ours calls `openAgentMemory`: the events are those of
 * `AgentMemory.tell`, and the answer is an `AgentAnswer`.
 */
export const defineInProcessHost = ({ detectSpeaker, readSource, ...row }: InProcessRow): HookHost => ({
  events: Object.fromEntries(HOST_EVENTS.map((kind) => [kind, { kind, carriesText: true }])),
  silence: '{}\n',
  inProcess: true,
  replaces: true,
  room: { characters: IN_PROCESS_CHARACTERS },
  ...row,
  read(json) {
    const input: HookInput = {
      ...readCommon(json),
      messages: serializeRecords(json.messages),
      contextUse: readContextUse(json),
      standing: json.standing === true,
      isAnswered: json.isAnswered === true,
      summary: getString(json, 'summary'),
    };
    input.source = readSource?.(input) ?? input.source;

    const typed = getString(json, 'typed');
    if (typed !== undefined) input.prompt = extractCommandWords(typed);

    const isOnlyCommand = typed !== undefined && input.prompt === '';
    const speaker = detectSpeaker?.(json) ?? readSpeaker(json) ?? (isOnlyCommand ? 'machine' : undefined);
    return speaker === undefined ? input : markSpeaker(speaker, input);
  },
  render: (_, answer) => `${JSON.stringify(pickAnswer(answer))}\n`,
});

/** The answer of `AgentMemory.tell`. */
export const pickAnswer = ({ context, standing, hold, summaryRequest, toolOutput: output }: HookAnswer) => {
  return { context, standing, hold, summaryRequest, output };
};

function readSpeaker(json: JsonObject): HookInput['speaker'] {
  const speaker = getString(json, 'speaker');
  return speaker === 'machine' || speaker === 'parent' ? speaker : undefined;
}

function readContextUse(json: JsonObject): HookInput['contextUse'] {
  const contextUse = getObject(json, 'contextUse');
  const [used, window] = [getNumber(contextUse, 'used'), getNumber(contextUse, 'window')];
  return used && window ? { used, window } : undefined;
}

/** Messages as the records of a session, whose reader knows what OpenClaw puts into the person's place. */
function serializeRecords(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  return toJsonText(messages.map((message: unknown) => ({ type: 'message', message })));
}
