/** What the functions of the library take, for programs without types. */
const TEXT_SPACE = [
  'set, append, prepend (text: string)',
  'replace (find: string, replacement: string, {all?: boolean})',
  'delete (text: string, {all?: boolean})',
  'editLine (line: integer, text: string)',
  'removeLines (...lines: string integer)',
  'clear ({all?: boolean})',
];

export const PARTS = {
  notes: TEXT_SPACE,
  plan: [
    ...TEXT_SPACE,
    'add (step: string)',
    'done, undone, remove (...steps: string integer)',
    'current (step: string integer)',
    'edit (step: string integer, text: string)',
    'move (step: string integer, to: integer)',
  ],
  refs: ['add, remove (...refs: string)', 'set (items: array)'],
  notepad: [
    'write (content: string)',
    'append (text: string)',
    'update ({operation: string, content?: string, find?: string, replace?: string, replace_all?: boolean})',
  ],
  entries: [
    'info, bytes (name: string)',
    'write (name: string, content: string object, {origin?: string, append?: boolean})',
    'read (name: string, {offset?: integer, limit?: integer})',
    'search (name: string, pattern: string, {ignoreCase?: boolean, context?: integer, limit?: integer, offset?: integer, maxMs?: number})',
    'edit (name: string, edit: object)',
    'delete (name: string, {forGood?: boolean})',
    'undelete (name: string, back?: integer)',
    'rename (from: string, name: string, {force?: boolean})',
    'keep (output: string, {name?: string, limit?: integer, origin?: string})',
  ],
  memory: ['search (query: string, {limit?: integer})'],
};

export const PAD = [
  'callTool (name: string)',
  'assemble ({messages?: array object, transcript?: string, session?: string, prompt?: string, ttlMs?: number, withinMs?: number, onProblem?: function})',
  'mood ({messages?: array object})',
  'handover ({messages?: array object, transcript?: string, session?: string})',
  'diff (from?: integer, to?: integer)',
  'undo, redo (count?: integer)',
];

export const SESSIONS = [
  'list ({of?: array, limit?: integer})',
  'info, archive, bringBack (session: string)',
  'fork (parent: string, child: string)',
  'spawn (parent: string, child: string, {copyNotepad?: boolean, inherit?: array})',
  'prune ({olderThanMs?: number, dryRun?: boolean})',
  'delete (session: string, {forGood?: boolean, primary?: boolean})',
];
