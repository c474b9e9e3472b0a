import { misuse } from '../base/errors.ts';
import { defuse } from '../base/safety/index.ts';
import type { Pad } from './context.ts';
import { type Outcome, textSpace } from './spaces.ts';

export const OPERATIONS = ['find_replace', 'append', 'prepend', 'delete'] as const;

/** One surgical edit of the notepad. */
export interface NotepadEdit {
  operation: (typeof OPERATIONS)[number];
  /** For append and prepend the text to add, for delete the text to remove. */
  content?: string;
  /** For find_replace: the existing text, and the new text. */
  find?: string;
  replace?: string;
  /** Every match, for find_replace and delete. */
  replace_all?: boolean;
}

/** The notes space as a notepad: free text that survives compaction. Each change is durable when its promise resolves. */
export interface Notepad {
  /** Empty if nothing was written yet. */
  read(): Promise<string>;
  /** Replaces everything; text over the limit of notes is cut, with a warning. */
  write(content: string): Promise<Outcome>;
  /** @throws ScratchpadError `refused` if it does not fit */
  append(text: string): Promise<Outcome>;
  /**
   * @throws ScratchpadError `refused` with the number of matches if the text does not occur exactly once, unless
   * `replace_all`
   */
  update(edit: NotepadEdit): Promise<Outcome>;
  /**
   * The section for a system prompt: `## Session Notepad` with the notes, or with a hint on its use while they are
   * empty.
   */
  section(): Promise<string>;
}

const EMPTY =
  '(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)';

export function notepadOf(pad: Pad): Notepad {
  const notes = textSpace(pad, 'notes');
  return {
    read: () => notes.read(),
    write: (content) => notes.set(content),
    append: (text) => notes.append(text),
    section: async () => {
      const content = await notes.read();
      return `## Session Notepad\n${content.trim() === '' ? EMPTY : defuse(content).trimEnd()}\n`;
    },
    update: async (edit) => {
      const { operation, content, find, replace, replace_all: all = false } = edit;
      switch (operation) {
        case 'append':
          return notes.append(needed(content, 'content', operation));
        case 'prepend':
          return notes.prepend(needed(content, 'content', operation));
        case 'delete':
          return notes.delete(needed(content, 'content', operation), { all });
        case 'find_replace':
          return notes.replace(needed(find, 'find', operation), needed(replace, 'replace', operation), {
            all,
          });
        default:
          throw misuse('no such operation', {
            where: 'operation',
            expected: OPERATIONS.join(', '),
            found: String(operation),
          });
      }
    },
  };
}

function needed(value: string | undefined, what: string, operation: string): string {
  if (value !== undefined) return value;
  throw misuse(`${operation} needs ${what}`, { where: what, expected: 'a text', found: 'nothing' });
}
