import { usageError } from '../base/errors.ts';
import { defuse } from '../base/safety/index.ts';
import type { Pad } from './context.ts';
import { type Outcome, openTextSpace } from './spaces.ts';

export const OPERATIONS = ['find_replace', 'append', 'prepend', 'delete'] as const;

export interface NotepadEdit {
  operation: (typeof OPERATIONS)[number];
  /** For append and prepend the text to add, for delete the text to remove. */
  content?: string | undefined;
  /** For find_replace: the existing text, and the new text. */
  find?: string | undefined;
  replace?: string | undefined;
  /** Every match, for find_replace and delete. */
  replace_all?: boolean | undefined;
}

const EMPTY =
  '(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)';

/** The notes space as a notepad: free text that survives compaction. Each change is durable when its promise resolves. */
export type Notepad = ReturnType<typeof openNotepad>;

export function openNotepad(pad: Pad) {
  const notes = openTextSpace(pad, 'notes');
  return {
    /** Empty if nothing was written yet. */
    read: () => notes.read(),
    /** Replaces everything; text over the limit of notes is cut, with a warning. */
    write: (content: string) => notes.set(content),
    /** @throws ScratchpadError `refused` if it does not fit */
    append: (text: string) => notes.append(text),
    /** `## Session Notepad` with the notes, or with a hint on its use while they are empty, for a system prompt. */
    section: async (): Promise<string> => {
      const content = await notes.read();
      return `## Session Notepad\n${content.trim() === '' ? EMPTY : defuse(content).trimEnd()}\n`;
    },
    /**
     * @throws ScratchpadError `refused` with the number of matches if the text does not occur exactly once, unless
     * `replace_all`
     */
    update: async (edit: NotepadEdit): Promise<Outcome> => {
      const { operation, content, find, replace, replace_all: all = false } = edit;
      const readText = (): string => requireArgument(content, 'content', operation);
      if (operation === 'append' || operation === 'prepend') return notes[operation](readText());
      if (operation === 'delete') return notes.delete(readText(), { all });

      if (operation === 'find_replace')
        return notes.replace(
          requireArgument(find, 'find', operation),
          requireArgument(replace, 'replace', operation),
          { all },
        );

      const [expected, found] = [OPERATIONS.join(', '), String(operation)];
      throw usageError('no such operation', { where: 'operation', expected, found });
    },
  };
}

function requireArgument(value: unknown, what: string, operation: string): string {
  if (typeof value === 'string') return value;
  const found = value === undefined ? 'nothing' : String(value);
  throw usageError(`${operation} needs ${what}`, { where: what, expected: 'a text', found });
}
