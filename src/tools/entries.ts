import { refusal, usageError } from '../base/errors.ts';
import { formatCount, formatThousands } from '../base/text/strings.ts';
import { choosePlace, listReachable } from '../entries/reach.ts';
import { describePastEnd } from '../entries/refusals.ts';
import { formatBytes } from '../entries/spill.ts';
import type { EntryInfo } from '../entries/types.ts';
import { defineTool, type ToolAnswer } from './tool.ts';

const NAME = { type: 'string' } as const;

const write = defineTool({
  name: 'scratchpad_write',
  description:
    'Store content of any size under a name, outside the conversation; overwrites an entry of that name',
  takes: {
    name: { type: 'string', description: 'Up to 200 characters' },
    content: { type: 'string', description: 'Up to 64 MB' },
  },
  required: ['name', 'content'],
  readOnly: false,
  oneLine: true,
  run: async ({ places: [own] }, { name, content }) =>
    answerStored(await own.write(name, content, { origin: 'tool: scratchpad_write' })),
});

const read = defineTool({
  name: 'scratchpad_read',
  description:
    'Read an entry, such as a kept output: a piece (offset, limit in characters), or the lines that match an RE2 regex (at most 100)',
  takes: {
    name: NAME,
    session: { type: 'string', description: 'Its session, if another' },
    offset: { type: 'integer', minimum: 0 },
    limit: { type: 'integer', minimum: 0, description: 'At most 30,000' },
    regex: { type: 'string' },
    context: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines around a match' },
  },
  required: ['name'],
  readOnly: true,
  textOnly: true,
  bounded: true,
  run: async (context, { name, session, offset = 0, limit, regex, context: around = 0 }) => {
    const entries = session === undefined ? choosePlace(context.places, name) : context.entriesOf(session);
    if (session !== undefined && entries.index().entries.length === 0)
      throw refusal('no session of that id has entries here', { where: 'session', found: session });

    if (regex === undefined) {
      const piece = await entries.read(name, { offset, limit });
      const { content, total, nextOffset } = piece;
      const next = nextOffset === offset ? '' : `; continue with offset ${nextOffset}`;
      const rest = `\n[${formatThousands(total)} characters in all${next}]`;
      const end = describePastEnd(offset, total);
      const remark = nextOffset === null ? end && `[${end}]` : rest;

      return { text: content + (remark ?? ''), value: { ...piece }, whole: content };
    }

    const result = await entries.search(name, regex, { offset, context: around });
    const lines = result.lines.map(({ line, text, match }) => `${line}${match ? ':' : '-'} ${text}`);

    if (result.matches === 0) {
      const { total } = await entries.read(name, { offset, limit: 0 });
      lines.push(`[${describePastEnd(offset, total) ?? 'no line matches'}]`);
    }

    if (result.nextOffset !== null) lines.push(`[more may match; continue with offset ${result.nextOffset}]`);

    return { text: lines.join('\n'), value: { ...result } };
  },
});

const edit = defineTool({
  name: 'scratchpad_edit',
  description:
    'Edit an entry: content overwrites it; old_string, which must occur exactly once unless replace_all, becomes new_string',
  takes: {
    name: NAME,
    content: { type: 'string' },
    old_string: { type: 'string' },
    new_string: { type: 'string' },
    replace_all: { type: 'boolean' },
  },
  required: ['name'],
  readOnly: false,
  oneLine: true,
  run: async (context, args) => {
    const { name, content, old_string: oldString, new_string: newString, replace_all: replaceAll } = args;
    const place = choosePlace(context.places, name);
    if (content !== undefined && oldString === undefined && newString === undefined)
      return answerStored(await place.edit(name, { content }));

    if (content !== undefined || oldString === undefined || newString === undefined)
      throw usageError('an edit is either content, or old_string with new_string: nothing was changed', {
        where: 'content, old_string, new_string',
        expected: 'only content, or both old_string and new_string',
        found: Object.keys(args).join(', '),
      });

    const entry = await place.edit(name, { oldString, newString, replaceAll });
    const answer = answerStored(entry);
    return { ...answer, text: `${answer.text}, ${entry.replaced} replaced` };
  },
});

const list = defineTool({
  name: 'scratchpad_list',
  description: 'List the entries with name, size, creation time and origin',
  takes: {},
  readOnly: true,
  run: async ({ places }) => {
    const all = (await listReachable(places)).map(({ info }) => info);
    const rows = all.map(
      ({ name, characters, created, origin }) =>
        `${JSON.stringify(name)}: ${formatCount(characters, 'character')}, ${created}, ${origin}`,
    );

    return { text: rows.join('\n') || '(no entries)', value: { entries: all } };
  },
});

const remove = defineTool({
  name: 'scratchpad_delete',
  description: 'Delete an entry',
  takes: { name: NAME },
  required: ['name'],
  readOnly: false,
  destructive: true,
  oneLine: true,
  run: async (context, { name }) => {
    await choosePlace(context.places, name).delete(name);
    return { text: `deleted ${JSON.stringify(name)}`, value: { ok: true, name } };
  },
});

export const entryTools = [write, read, edit, list, remove];

function answerStored(entry: EntryInfo): ToolAnswer {
  const { name, characters, bytes } = entry;
  return {
    text: `${JSON.stringify(name)}: ${formatCount(characters, 'character')} (${formatBytes(bytes)})`,
    value: { ok: true, ...entry },
  };
}
