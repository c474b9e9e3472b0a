import { getString, isObject, type JsonObject } from '../base/text/json.ts';
import { isCommand, parseIsoTime, renderResult } from './content.ts';

/** The way of a person's words to the agent: at the prompt, typed while it worked, with a refusal, or as an answer. */
export type Voice = 'prompt' | 'queued' | 'rejection' | 'answer';

/** Result of a tool call. `rejected`: by the person. `unknown`: the host does not say. */
export type CallOutcome = 'ok' | 'failed' | 'rejected' | 'unknown';

/** The first event of a row: its place in the conversation. Formats without ids leave it out. */
export interface RowStart {
  type: 'row';
  id?: string;
  /** The row that it continues; null for none; left out for the newest one. */
  parent?: string | null;
  /** Going back to `parent` counts only if it takes back a prompt: parallel calls make branches, too. */
  onlyWithPrompt?: true;
  /** The row is outside of the conversation; only our own entries in it count. */
  aside?: boolean;
  /** The row replaces an earlier one with the same id; otherwise it is a copy of that. */
  replaces?: true;
}

/** Something was taken back; one member says what. */
export interface TakeBack {
  type: 'back';
  /** The number of the person's newest turns. */
  turns?: number;
  /** The first row that is taken back. */
  from?: string;
  /** The last row that stays; null if none does. */
  to?: string | null;
  /** Words that were typed while the agent worked. */
  queued?: string;
  /** The words that came with the result of this call. */
  call?: string;
}

export interface EventPlace {
  /** The host's own id, or one derived from the position. */
  id: string;
  /** Start of its row: a byte offset in a file, a sequence number in a database. */
  at: number;
  /** ISO 8601 in UTC. */
  timestamp?: string | undefined;
  session?: string | undefined;
  /** The speaker in a group chat, as the host names them. */
  sender?: string;
}

export interface PersonMessageEvent extends EventPlace {
  type: 'person';
  voice: Voice;
  text: string;
  /** The host or our plugin says that this was typed. */
  isMarked?: boolean;
  /** Who else may have written it: a command of the workspace, whose text a host stores as the person's. */
  doubt?: string | undefined;
  /** Id of the call that was rejected or answered. */
  call?: string;
  /** The answer to each question, if it is an answer. */
  answers?: readonly Answer[];
  /** Which of several forms of the same message this is, and the digest of its words. */
  way?: string;
  digest?: string;
}

export interface Answer {
  question: string;
  answer: string;
}

export interface AgentMessageEvent extends EventPlace {
  type: 'agent';
  text: string;
  /** Shared by parts of one answer that are on several lines. */
  answer?: string;
  way?: string;
  digest?: string;
}

export interface Call extends EventPlace {
  type: 'call';
  tool?: string;
  /** A string if the tool takes text, or if the host stores JSON as a string. */
  input: JsonObject | string;
}

export interface Result extends EventPlace {
  type: 'result';
  call?: string;
  tool?: string;
  text: string;
  outcome: CallOutcome;
}

export interface CompactionEvent extends EventPlace {
  type: 'compacted';
  summary?: string;
  /** The person's words that the model's window still has beside the summary. */
  kept?: string | undefined;
  /** The first row that the window still has. */
  keptFrom?: string | undefined;
}

/** Facts of the session; later ones in the file replace earlier ones. */
export interface Facts {
  type: 'facts';
  session?: string;
  /** The folder in which the session was started. */
  cwd?: string;
  /** The folder in which it worked at this row. */
  workingDirectory?: string;
  /** The branch that was checked out at the last row, if known. */
  branch?: string;
  model?: string;
  /** Tokens in the model's context at its last answer, and the most it may have. */
  tokensUsed?: number;
  contextWindow?: number;
  utcOffsetHours?: number;
  subagent?: boolean;
  /** A script started the session: `claude -p`, `codex exec`. */
  scripted?: boolean;
  /** The host reported the end of the turn, and no message followed. */
  turnEnded?: boolean;
  /** The session that this file continues, after a rewind or a fork: its id, and the byte offset of the place. */
  base?: { thread: string; end: number };
}

export type SessionEvent =
  | RowStart
  | TakeBack
  /** The conversation begins anew, with the rows from `keepFrom` on if there is one. */
  | { type: 'restarted'; keepFrom?: string }
  /**
   * The host wrote the whole conversation again, row by row: others are gone, unless a compaction made the list
   * shorter, which then `continues` the conversation.
   */
  | { type: 'rewritten'; rows: SessionEvent[][]; continues?: true }
  | Facts
  /** A row that cannot be read, and why; not for what a host is known to write beside the conversation. */
  | { type: 'skip'; reason: string; count?: number }
  | PersonMessageEvent
  | AgentMessageEvent
  /** Text for the model that neither the person nor the agent wrote; what the agent says to a timer answers nobody. */
  | (EventPlace & { type: 'host'; text: string; isTimer?: true })
  | Call
  | Result
  /** A plan that the host passed to the model on the person's behalf, or that the person approved. */
  | (EventPlace & { type: 'plan'; text: string })
  | (EventPlace & { type: 'interrupted' })
  | CompactionEvent
  /** The name of the session; `of`: a row of that session, if the file may hold the titles of others. */
  | (EventPlace & { type: 'title'; text: string; by: 'person' | 'host'; of?: string })
  | (EventPlace & { type: 'ourEntry'; key: string; data: unknown })
  | (EventPlace & { type: 'error'; text: string });

export interface Format {
  readonly name: string;
  readonly title: string;
  recognises(row: JsonObject): boolean;
  /** The events of one row, in order: the only function that interprets this host's rows. */
  events(row: JsonObject, at: number): SessionEvent[];
}

/** Prefix of the keys of our custom entries; on its own it is the older key of the notes. */
export const OUR_KEY = 'openclaw:scratchpad';

/** An answer to a question as a list, which is empty if the answer has no words. */
export const toAnswers = (question = '', answer: unknown = ''): Answer[] =>
  typeof answer === 'string' && answer.trim() !== '' ? [{ question, answer: answer.trim() }] : [];

/** The place of a row in its session, and the events that are made the same way for all hosts. */
export class RowPlace implements EventPlace {
  readonly id: string;
  readonly at: number;
  readonly timestamp: string | undefined;
  readonly session: string | undefined;

  /** @param row its id and its time, as the host writes them */
  constructor(at: number, row: { readonly id?: unknown; readonly timestamp?: unknown }, session?: string) {
    this.id = typeof row.id === 'string' && row.id !== '' ? row.id : `@${at}`;
    this.at = at;
    this.timestamp = parseIsoTime(row.timestamp);
    this.session = session;
  }

  get #place(): EventPlace {
    return this;
  }

  /** The same place for an event with an id of its own. */
  withId(id = this.id): RowPlace {
    return new RowPlace(this.at, { id, timestamp: this.timestamp }, this.session);
  }

  /** A prompt of the person, or of the host in their place; nothing without words, and for a command of the host. */
  prompt(text: string, isPerson = true, isMarked?: boolean): SessionEvent[] {
    if (text === '' || isCommand(text)) return [];
    return [
      isPerson
        ? { type: 'person', voice: 'prompt', text, isMarked, ...this.#place }
        : { type: 'host', text, ...this.#place },
    ];
  }

  /** The name of the session; nothing without one. */
  title(name: string | undefined, by: 'person' | 'host', of?: string): SessionEvent[] {
    const text = name?.trim() ?? '';
    return text === '' ? [] : [{ type: 'title', text, by, of, ...this.#place }];
  }

  agent(text: string, way?: string): SessionEvent[] {
    return text === '' ? [] : [{ type: 'agent', text, way, ...this.#place }];
  }

  /** @param call its row, with its name and its input as most hosts call them */
  call(call: JsonObject, id = getString(call, 'id')): Call {
    const found = call.input ?? call.arguments ?? call.args;
    const input = typeof found === 'string' || isObject(found) ? found : {};
    const tool = getString(call, 'name');
    return { type: 'call', tool, ...this.#place, id: id ?? `${this.id}:call`, input };
  }

  /** @param call the id of the call, if the host names it */
  result(call: string | undefined, result: Pick<Result, 'text' | 'outcome' | 'tool'>): Result {
    return {
      type: 'result',
      ...this.#place,
      id: call === undefined ? this.id : `${call}:result`,
      call,
      ...result,
    };
  }

  /** The calls and results among the blocks of a message; a result has an `outcome` where no error is marked. */
  tools(blocks: readonly JsonObject[], outcome: CallOutcome): (Call | Result)[] {
    return blocks.flatMap((block): (Call | Result)[] => {
      if (block.type === 'tool_use' || block.type === 'toolCall') return [this.call(block)];
      if (block.type !== 'tool_result') return [];
      const ended = block.is_error === true ? 'failed' : outcome;
      return [
        this.result(getString(block, 'tool_use_id'), { text: renderResult(block.content), outcome: ended }),
      ];
    });
  }

  /** The person's answers to questions that the agent put with a tool; nothing if they gave none. */
  answers(call: string, answers: readonly Answer[]): SessionEvent[] {
    const text = answers.map(({ answer }) => answer).join('\n');
    if (text === '') return [];
    return [{ type: 'person', voice: 'answer', ...this.#place, id: `${call}:words`, call, text, answers }];
  }
}

/** The host's own tool with which an agent asks the person, by format. */
const ASKING: Readonly<Record<string, string>> = {
  'claude-code': 'AskUserQuestion',
  codex: 'request_user_input',
  gemini: 'ask_user',
};

/**
 * Whether a result may contain words of the person. The host writes the results of its own tools; the result
 * of an MCP server's tool is whatever that server says, and a call that was not read may be one.
 */
export function mayCarryWords(format: string, voice: Voice, tool: string | undefined): boolean {
  if (voice === 'answer') return tool !== undefined && ASKING[format] === tool;
  // Claude Code's own tools have names like `Edit`; those of servers are called `mcp__…`, or anything in an SDK.
  return voice !== 'rejection' || /^[A-Z][A-Za-z]+$/.test(tool ?? '');
}
