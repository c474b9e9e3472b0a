import { type NotepadEdit, notepadOf, OPERATIONS } from '../core/notepad.ts';
import type { Outcome } from '../core/spaces.ts';
import { describeUsage } from '../pad/budget.ts';
import { objectSchema } from './schema.ts';
import type { Tool, ToolAnswer } from './tool.ts';

const readNotepad: Tool = {
  name: 'read_notepad',
  description: 'Read the session notepad: your working notes, kept in full across context compaction.',
  inputSchema: objectSchema({}),
  readOnly: true,
  run: async ({ pad }) => {
    const content = await notepadOf(pad).read();
    return { text: content, value: { content } };
  },
};

const writeNotepad: Tool = {
  name: 'write_notepad',
  description: 'Replace the whole session notepad: to reorganise it, or to clear it with an empty content.',
  inputSchema: objectSchema(
    { content: { type: 'string', description: 'The new notepad content (replaces everything)' } },
    ['content'],
  ),
  readOnly: false,
  run: async ({ pad }, { content }) => done(await notepadOf(pad).write(String(content))),
};

const updateNotepad: Tool = {
  name: 'update_notepad',
  description:
    'Edit the session notepad in place: append findings, tick off a task by find_replace, delete what is obsolete.',
  inputSchema: objectSchema(
    {
      operation: { type: 'string', enum: [...OPERATIONS], description: 'The type of edit to perform' },
      content: {
        type: 'string',
        description: 'For append/prepend: text to add. For delete: text to remove.',
      },
      find: { type: 'string', description: 'For find_replace: exact substring to find' },
      replace: { type: 'string', description: 'For find_replace: replacement text' },
      replace_all: {
        type: 'boolean',
        description: 'For find_replace and delete: every occurrence. Default: false.',
      },
    },
    ['operation'],
  ),
  readOnly: false,
  run: async ({ pad }, args) => done(await notepadOf(pad).update(args as unknown as NotepadEdit)),
};

export const notepadTools: readonly Tool[] = [readNotepad, writeNotepad, updateNotepad];

function done(outcome: Outcome): ToolAnswer {
  const { warnings } = outcome;
  const message = describeUsage(outcome);
  return { text: [message, ...warnings].join('\n'), value: { ok: true, ...outcome, message } };
}
