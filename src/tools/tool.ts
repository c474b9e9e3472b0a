import type { Pad } from '../core/context.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import type { TokenCounter } from '../pad/token-counter.ts';
import type { ObjectSchema } from './schema.ts';

/** What a tool works on: one session of one workspace. */
export interface ToolContext {
  pad: Pad;
  entries: FileEntries;
  /** The entries of another session, such as the outputs that hooks keep for a session of a host. */
  entriesOf(session: string): FileEntries;
  countTokens: TokenCounter;
}

/** What a tool says: `text` for a model, `value` for a program. */
export interface ToolAnswer {
  text: string;
  value: { [key: string]: unknown };
  /** What is kept of it as an entry, where `text` has remarks besides. */
  whole?: string;
}

/** What a host tells a model of a tool. */
export interface ToolDeclaration {
  name: string;
  /** For a model: what it does, and when to use it. */
  description: string;
  /** JSON schema of the arguments. */
  inputSchema: ObjectSchema;
}

/** A tool for agents: the same through the library, `scratchpad tool` and MCP. */
export interface Tool extends ToolDeclaration {
  /** That nothing is changed by it. */
  readOnly: boolean;
  /**
   * That over MCP its answer is text only: hosts show a model the structured form where there is
   * one, and long texts in JSON are hard to read.
   */
  textOnly?: boolean;
  /** That its arguments say how long its answer may be: it is not kept as an entry unasked. */
  bounded?: boolean;
  /**
   * @param args checked against `inputSchema`
   * @throws ScratchpadError
   */
  run(context: ToolContext, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}
