import { NAME_PATTERN } from './build.ts';
import { type COMMAND_PARTS, LONGEST_TITLE, TITLE_PATTERN } from './command.ts';
import type { Setting } from './config.ts';
import { SETTINGS } from './settings.ts';
import { LABEL_PATTERN } from './values.ts';

/** Not blank, no NUL, and no white space unless it is a path. */
const COMMAND_PATTERN = '^(?=[\\s\\S]*\\S)(?![\\s\\S]*\\u0000)(?:\\S+|[\\s\\S]*/[\\s\\S]*)$';
/** 1 ms to 60 s, in one unit. */
const TIMEOUT_PATTERN =
  '^(?:(?!0+\\s*ms)(?:\\d{1,4}|[0-5]\\d{4}|60000)\\s*ms|\\s*(?=\\d{1,6}\\s*[sm]\\s*$)0*(?:(?:[1-9]|[1-5]\\d|60)\\s*s|1\\s*m)\\s*)$';

/** A JSON Schema (draft 7), or part of one. */
export type Schema = { readonly [keyword: string]: unknown };

interface Group {
  type: 'object';
  properties: Record<string, Schema | Group>;
  patternProperties?: Record<string, Schema>;
  additionalProperties: false;
}

/**
 * The JSON Schema of a config file, generated from the table of settings, for completion and checks in
 * editors. It accepts what `readValue` accepts, except that it does not check the names of time zones.
 */
export function configSchema(): Schema {
  const root = group();
  for (const setting of SETTINGS) {
    const path = setting.key.split('.');
    const leaf = path.pop() as string;
    const parent = path.reduce(groupIn, root);
    if (leaf === '<id>') parent.patternProperties = { [namesFor(setting)]: schemaOf(setting) };
    else parent.properties[leaf] = schemaOf(setting);
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'scratchpad config.yaml',
    description: 'Settings of scratchpad: .scratchpad/config.yaml in a workspace, or the file of the user',
    ...root,
  };
}

function group(): Group {
  return { type: 'object', properties: {}, additionalProperties: false };
}

function groupIn(parent: Group, name: string): Group {
  const inner = (parent.properties[name] ?? group()) as Group;
  parent.properties[name] = inner;
  return inner;
}

function namesFor({ taken }: Setting): string {
  return taken === undefined ? NAME_PATTERN : NAME_PATTERN.replace('^', `^(?!(?:${taken.join('|')})$)`);
}

function schemaOf(setting: Setting): Schema {
  const note = {
    true: ' (in your own file only)',
    outside: ' (outside the workspace in your own file only)',
  };
  return {
    description: `${setting.about}${setting.own ? note[`${setting.own}`] : ''}`,
    ...(setting.default === undefined ? {} : { default: setting.default }),
    ...typeOf(setting),
  };
}

function typeOf({ kind, options }: Setting): Schema {
  switch (kind) {
    case 'text':
      return { type: 'string', pattern: '\\S' };
    case 'label':
      return { type: 'string', pattern: LABEL_PATTERN };
    case 'zone':
      return { type: 'string', minLength: 1, examples: ['Europe/Berlin', 'UTC'] };
    case 'duration':
      return { type: 'string', pattern: '^\\s*(?!0+\\s*[smhd])\\d{1,6}\\s*[smhd]\\s*$', examples: ['30m'] };
    case 'count':
      return { type: 'integer', minimum: 1, maximum: 1_000_000 };
    case 'turns':
      return { type: 'integer', minimum: 0, maximum: 100_000_000 };
    case 'percent':
      return { type: 'number', minimum: 0, maximum: 100 };
    case 'switch':
      return { enum: ['on', 'off', true, false, 'true', 'false'] };
    case 'choice':
      return { enum: [...(options ?? []), ...(options?.includes('off') ? [false] : [])] };
    case 'list': {
      const item = options ? { enum: options } : { type: 'string', minLength: 1 };
      return { anyOf: [item, { type: 'array', items: item }] };
    }
    case 'command':
      return commandSchema();
  }
}

function commandSchema(): Schema {
  const program = { type: 'string', pattern: COMMAND_PATTERN };
  const text = { type: 'string', pattern: '^[^\\u0000]*$' };
  const word = { anyOf: [text, { type: 'number' }] };
  const parts: Record<(typeof COMMAND_PARTS)[number], Schema> = {
    command: { ...program, description: 'a program on the PATH, or a path to one' },
    args: {
      description: 'its arguments, passed without a shell',
      anyOf: [text, { type: 'array', items: word }],
    },
    timeout: {
      type: 'string',
      pattern: TIMEOUT_PATTERN,
      description: 'its time limit, at most 60s',
    },
    title: { type: 'string', pattern: TITLE_PATTERN, maxLength: LONGEST_TITLE },
    priority: { type: 'number', minimum: 0, maximum: 100, description: '0: dropped first' },
  };
  return {
    anyOf: [
      program,
      { type: 'array', items: [program], additionalItems: word, minItems: 1 },
      { type: 'object', properties: parts, required: ['command'], additionalProperties: false },
    ],
  };
}
