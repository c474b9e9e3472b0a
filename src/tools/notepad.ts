import { formatThousands } from '../base/text/strings.ts';
import type { Config } from '../config/settings.ts';
import { type NotepadEdit, OPERATIONS, openNotepad } from '../core/notepad.ts';
import type { Outcome } from '../core/spaces.ts';
import { describeUsage } from '../pad/budget.ts';
import { defineTool, type ToolAnswer } from './tool.ts';

const describeLimits = (config: Config): string =>
  `At most ${formatThousands(config.limits.notes)} characters.`;

const readNotepad = defineTool({
  name: 'read_notepad',
  description: 'Read the session notepad: your working notes, kept in full across context compaction.',
  takes: {},
  readOnly: true,
  run: async ({ pad }) => {
    const content = await openNotepad(pad).read();
    return { text: content, value: { content } };
  },
});

const writeNotepad = defineTool({
  name: 'write_notepad',
  description: 'Replace the whole session notepad: to reorganise it, or to clear it with an empty content.',
  takes: { content: { type: 'string', description: 'The new notepad content (replaces everything)' } },
  required: ['content'],
  readOnly: false,
  oneLine: true,
  limits: describeLimits,
  run: async ({ pad }, { content }) => answerChange(await openNotepad(pad).write(content)),
});

const updateNotepad = defineTool({
  name: 'update_notepad',
  description:
    'Edit the session notepad in place: append findings, tick off a task by find_replace, delete what is obsolete.',
  takes: {
    operation: { type: 'string', enum: [...OPERATIONS], description: 'The type of edit to perform' },
    content: { type: 'string', description: 'For append/prepend: text to add. For delete: text to remove.' },
    find: { type: 'string', description: 'For find_replace: exact substring to find' },
    replace: { type: 'string', description: 'For find_replace: replacement text' },
    replace_all: {
      type: 'boolean',
      description: 'For find_replace and delete: every occurrence. Default: false.',
    },
  },
  required: ['operation'],
  readOnly: false,
  oneLine: true,
  limits: describeLimits,
  run: async ({ pad }, args) => answerChange(await openNotepad(pad).update(args as NotepadEdit)),
});

export const notepadTools = [readNotepad, writeNotepad, updateNotepad];

function answerChange(outcome: Outcome): ToolAnswer {
  const { warnings } = outcome;
  const message = describeUsage(outcome);
  return { text: [message, ...warnings].join('\n'), value: { ok: true, ...outcome, message } };
}
