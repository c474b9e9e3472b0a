import type { Config } from '../config/settings.ts';
import type { Pad } from '../core/context.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import type { EntryPlaces } from '../entries/reach.ts';
import { defineObject, type ObjectSchema, type PropertySchema } from './schema.ts';

export interface ToolContext {
  pad: Pad;
  /** The entries of the host's session that calls, if it is known, then those of the workspace. */
  places: EntryPlaces;
  /** The entries of another session, such as the outputs that hooks keep for a session of a host. */
  entriesOf(session: string): FileEntries;
}

/** A tool's answer: `text` for a model, `value` for a program. */
export interface ToolAnswer {
  text: string;
  value: { [key: string]: unknown };
  /** What to store as an entry, if `text` contains remarks besides. */
  whole?: string;
}

export interface ToolDeclaration {
  name: string;
  /** For a model: what it does, and when to use it. */
  description: string;
  inputSchema: ObjectSchema;
}

/** A tool for agents: the same in the library, in `scratchpad tool` and over MCP. */
export interface Tool extends ToolDeclaration {
  readOnly: boolean;
  destructive?: boolean;
  /** Its answer is one line: the argument `scratchpad`, which saves an answer as an entry, is left out. */
  oneLine?: boolean;
  /** A sentence on the limits of what it writes, for its description. */
  limits?(config: Config): string;
  /** Hosts show a model the structured form if there is one, and long texts in JSON are hard to read. */
  textOnly?: boolean;
  /** Its arguments limit the length of its answer, which is not stored as an entry by itself. */
  bounded?: boolean;
  /** @param args checked against `inputSchema` @throws ScratchpadError */
  run(context: ToolContext, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

type Properties = Readonly<Record<string, PropertySchema>>;
type ValueOf<Schema extends PropertySchema> = Schema extends { type: 'string' }
  ? string
  : Schema extends { type: 'integer' }
    ? number
    : Schema extends { type: 'boolean' }
      ? boolean
      : unknown[];
type ArgumentsOf<P extends Properties, Required extends keyof P> = {
  readonly [Name in Required]: ValueOf<P[Name]>;
} & { readonly [Name in Exclude<keyof P, Required>]?: ValueOf<P[Name]> };

interface Spec<P extends Properties, Required extends keyof P> extends Omit<Tool, 'inputSchema' | 'run'> {
  takes: P;
  required?: readonly Required[];
  run(context: ToolContext, args: ArgumentsOf<P, Required>): Promise<ToolAnswer>;
}

export function defineTool<P extends Properties, Required extends keyof P & string = never>({
  takes,
  required,
  run,
  ...declaration
}: Spec<P, Required>): Tool {
  return { ...declaration, inputSchema: defineObject(takes, required), run: run as Tool['run'] };
}
