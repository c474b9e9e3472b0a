import { misuse } from '../base/errors.ts';
import { counted, thousands } from '../base/text/strings.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import { holding } from '../entries/reach.ts';
import { spellBytes } from '../entries/spill.ts';
import type { EntryInfo } from '../entries/types.ts';
import { objectSchema, type PropertySchema } from './schema.ts';
import type { Tool, ToolContext } from './tool.ts';

const NAME: PropertySchema = { type: 'string' };

const write: Tool = {
  name: 'scratchpad_write',
  description:
    'Store content in the scratchpad under a name, outside the conversation. If the name already exists, the content is overwritten.',
  inputSchema: objectSchema(
    {
      name: { type: 'string', description: 'Name for the entry, up to 200 characters' },
      content: { type: 'string', description: 'The content to store' },
    },
    ['name', 'content'],
  ),
  readOnly: false,
  run: async ({ entries }, { name, content }) =>
    stored(await entries.write(String(name), String(content), { origin: 'tool: scratchpad_write' })),
};

const read: Tool = {
  name: 'scratchpad_read',
  description:
    'Read an entry, such as a kept output: a piece (offset, limit in characters), or the lines that match an RE2 regex (at most 100)',
  inputSchema: objectSchema(
    {
      name: NAME,
      session: { type: 'string', description: 'Its session, if another' },
      offset: { type: 'integer', minimum: 0 },
      limit: { type: 'integer', minimum: 0 },
      regex: { type: 'string' },
      context: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines around a match' },
    },
    ['name'],
  ),
  readOnly: true,
  textOnly: true,
  bounded: true,
  run: async (context, args) => {
    const { name, regex, session } = args as { name: string; regex?: string; session?: string };
    const entries = session === undefined ? placeOf(context, name) : context.entriesOf(session);
    const { offset = 0, limit, context: around = 0 } = args as Readonly<Record<string, number | undefined>>;
    if (regex === undefined) {
      const piece = await entries.read(name, { offset, limit });
      const { content, total, nextOffset } = piece;
      const more =
        nextOffset === null
          ? ''
          : `\n[${thousands(total)} characters in all; continue with offset ${nextOffset}]`;
      return { text: content + more, value: { ...piece }, whole: content };
    }
    const found = await entries.search(name, regex, { offset, context: around });
    const lines = found.lines.map(({ line, text, match }) => `${line}${match ? ':' : '-'} ${text}`);
    if (found.matches === 0) lines.push('[no line matches]');
    if (found.nextOffset !== null) lines.push(`[more may match; continue with offset ${found.nextOffset}]`);
    return { text: lines.join('\n'), value: { ...found } };
  },
};

const edit: Tool = {
  name: 'scratchpad_edit',
  description:
    'Edit a scratchpad entry in place. Provide content for a full overwrite, or old_string/new_string for targeted replacement; old_string must occur exactly once unless replace_all.',
  inputSchema: objectSchema(
    {
      name: NAME,
      content: {
        type: 'string',
        description: 'Full replacement (mutually exclusive with old_string/new_string)',
      },
      old_string: { type: 'string', description: 'String to find' },
      new_string: { type: 'string', description: 'Replacement string' },
      replace_all: { type: 'boolean', description: 'Replace all occurrences (default: false)' },
    },
    ['name'],
  ),
  readOnly: false,
  run: async (context, args) => {
    const {
      name,
      content,
      old_string: oldString,
      new_string: newString,
    } = args as Record<string, string | undefined>;
    const targeted = oldString !== undefined && newString !== undefined;
    if (
      (content !== undefined) === targeted ||
      (content !== undefined && (oldString ?? newString) !== undefined)
    ) {
      throw misuse('an edit is either content, or old_string with new_string: nothing was changed', {
        where: 'content, old_string, new_string',
        expected: 'only content, or both old_string and new_string',
        found: Object.keys(args).join(', '),
      });
    }
    const replaceAll = args.replace_all === true;
    const change =
      content === undefined
        ? { oldString: oldString ?? '', newString: newString ?? '', replaceAll }
        : { content };
    const done = await placeOf(context, String(name)).edit(String(name), change);
    const answer = stored(done);
    return content === undefined ? { ...answer, text: `${answer.text}, ${done.replaced} replaced` } : answer;
  },
};

const list: Tool = {
  name: 'scratchpad_list',
  description: 'List all scratchpad entries with their name, size, creation time and origin.',
  inputSchema: objectSchema({}),
  readOnly: true,
  run: async ({ entries, shared }) => {
    const own = await entries.list();
    const names = new Set(own.map(({ name }) => name));
    const others = shared === entries ? [] : await shared.list();
    const all = [...own, ...others.filter(({ name }) => !names.has(name))];
    const rows = all.map(
      ({ name, characters, created, origin }) =>
        `${JSON.stringify(name)}: ${counted(characters, 'character')}, ${created}, ${origin}`,
    );
    return { text: rows.join('\n') || '(no entries)', value: { entries: all } };
  },
};

const remove: Tool = {
  name: 'scratchpad_delete',
  description: 'Delete a scratchpad entry by name.',
  inputSchema: objectSchema({ name: { type: 'string', description: 'The entry name to delete' } }, ['name']),
  readOnly: false,
  run: async (context, { name }) => {
    await placeOf(context, String(name)).delete(String(name));
    return { text: `deleted ${JSON.stringify(name)}`, value: { ok: true, name } };
  },
};

/** The entries with that name: the session's own, else those of the workspace. */
const placeOf = ({ entries, shared }: ToolContext, name: string): FileEntries =>
  holding([entries, shared], name) ?? entries;

export const entryTools: readonly Tool[] = [write, read, edit, list, remove];

function stored(entry: EntryInfo): { text: string; value: { [key: string]: unknown } } {
  const { name, characters, bytes } = entry;
  return {
    text: `${JSON.stringify(name)}: ${counted(characters, 'character')} (${spellBytes(bytes)})`,
    value: { ok: true, ...entry },
  };
}
