import { type Family, from } from './family.ts';

const TEXT = {
  '[text]': 'the text, or - to read it from stdin',
  '-f, --file <path>': 'read the text from a file',
};
const STEP = 'its number, or words that only it has';
const STEPS = 'their numbers, such as 2 or 2-4, or words that only one step has';

/** The three owned spaces, and what happened to them. Each shows itself where no verb is given. */
export const SPACES: Family = {
  heading: 'Plan, notes and references:',
  commands: [
    {
      name: 'notes',
      about: 'findings, decisions, partial state (4,000 characters)',
      examples: ['scratchpad notes', 'scratchpad notes add "Build fails only on arm64"'],
      verbs: [
        ...from(async () => (await import('../spaces.ts')).notes, {
          show: {
            about: 'print the notes',
            also: ['list', 'ls'],
            usual: true,
            takes: { '--numbers': 'number the lines' },
          },
          add: {
            about: 'add a line; refused if it does not fit',
            also: ['append'],
            takes: TEXT,
            examples: ['scratchpad notes add "Root cause: timezone mismatch in token expiry"'],
          },
          prepend: { about: 'add a line at the top; refused if it does not fit', takes: TEXT },
          set: { about: 'replace the notes; text over the limit is cut, with a warning', takes: TEXT },
          edit: {
            about: 'change the text of a line, or open the notes in your editor',
            takes: {
              '[line]': 'its number; the editor opens unless given',
              ...TEXT,
            },
            examples: ['scratchpad notes edit', 'scratchpad notes edit 3 "port 9090"'],
          },
          replace: {
            about: 'replace a text that occurs exactly once',
            takes: {
              '<find>': 'the text as it is in the notes',
              '<with>': 'the new text',
              '--all': 'replace every match',
            },
            examples: ['scratchpad notes replace "port 8080" "port 9090"'],
          },
          remove: {
            about: 'remove lines by number, or the one line that holds a text',
            also: ['delete', 'rm'],
            takes: {
              '<what...>': 'line numbers, or a text that only one line holds',
            },
            examples: ['scratchpad notes remove 3', 'scratchpad notes remove "port 8080"'],
          },
          move: {
            about: 'move a line to the place of another',
            takes: { '<line>': 'its number', '<to>': 'the number of the place' },
          },
          promote: { about: "add this session's notes to the shared notes of all sessions" },
          clear: { about: 'empty the notes' },
        }),
      ],
    },
    {
      name: 'plan',
      about: 'the steps of the current work (2,000 characters)',
      examples: [
        'scratchpad plan set "1. Fix auth bug\n2. Add test"',
        'scratchpad plan done',
        'scratchpad plan done "add test"',
      ],
      verbs: [
        ...from(async () => (await import('../spaces.ts')).plan, {
          show: {
            about: 'print the plan',
            also: ['list', 'ls'],
            usual: true,
            takes: { '--numbers': 'with the numbers of the steps, as the other commands take them' },
          },
          next: { about: 'print the step that is next' },
          add: { about: 'add a step at the end, or one for each line', takes: TEXT },
          set: { about: 'replace the plan; text over the limit is cut, with a warning', takes: TEXT },
          edit: {
            about: 'change the text of a step, or open the plan in your editor',
            takes: {
              '[step]': `${STEP}; the editor opens unless given`,
              ...TEXT,
            },
          },
          done: {
            about: 'strike steps through and mark them DONE; moves the current marker on',
            takes: { '[steps...]': `${STEPS}; the current one unless given` },
          },
          undone: { about: 'reopen steps', also: ['reopen'], takes: { '<steps...>': STEPS } },
          current: { about: 'mark a step as the current one', takes: { '<step>': STEP } },
          remove: {
            also: ['delete', 'rm'],
            about: 'remove steps and renumber the rest',
            takes: { '<steps...>': STEPS },
          },
          move: {
            about: 'move a step to the place of another and renumber the plan',
            takes: { '<step>': STEP, '<to>': 'number of the place' },
          },
          clear: { about: 'empty the plan' },
          take: {
            about: 'make another open plan the one here: that of another session, branch or work tree',
            takes: {
              '[number]': 'its number, as plan and SCRATCHPAD.md show it; not needed if there is only one',
            },
            examples: ['scratchpad plan take 2'],
          },
          adopt: {
            about: "take over the agent's own task list, or the approved plan, from the last session",
            takes: { '--replace': 'replace the existing plan' },
          },
        }),
      ],
    },
    {
      name: 'refs',
      about: 'files, URLs and identifiers to keep at hand (50 items)',
      examples: ['scratchpad refs', 'scratchpad refs add src/auth/login.ts'],
      verbs: [
        ...from(async () => (await import('../spaces.ts')).refs, {
          show: {
            about: 'print one ref per line, oldest first',
            also: ['list', 'ls'],
            usual: true,
            takes: { '--numbers': 'number the lines' },
          },
          add: {
            about: 'add refs as the newest; drops the oldest when there are 50',
            takes: {
              '[refs...]': 'the refs, or - to read one from stdin',
              '-f, --file <path>': 'read the ref from a file',
            },
          },
          set: {
            about: 'replace all refs; the first 50 are kept',
            takes: {
              '[refs...]': 'the refs, or - for a JSON array or one per line on stdin',
              '-f, --file <path>': 'read them from a file',
            },
          },
          edit: {
            about: 'replace a ref, or open the refs in your editor',
            takes: {
              '[ref]': 'its text or its number; the editor opens unless given',
              '[replacement]': 'the new ref',
              '-f, --file <path>': 'read the replacement from a file',
            },
          },
          remove: {
            also: ['delete', 'rm'],
            about: 'remove refs by their exact text, or by their number',
            takes: {
              '[refs...]': 'the refs, or - to read one from stdin',
              '-f, --file <path>': 'read the ref from a file',
            },
          },
          move: {
            about: 'move a ref to another place; the first is the oldest',
            takes: { '<ref>': 'its text or its number', '<to>': 'number of the place' },
          },
          clear: { about: 'remove all refs' },
          adopt: { about: 'add the files that the last session worked with' },
        }),
      ],
    },
    ...from(() => import('../history.ts'), {
      history: {
        about: 'list the changes to the spaces, newest first',
        takes: {
          '[count]': 'how many to show (default 20)',
          '-n, --limit <n>': 'the same',
          '--space <name>': 'only this space',
        },
        examples: ['scratchpad history', 'scratchpad history 5 --space notes'],
      },
      diff: {
        about: 'show what changed between two revisions; the newest change unless given',
        takes: {
          '[from]': 'number of the earlier revision',
          '[to]': 'number of the later revision; the newest unless given',
        },
        examples: ['scratchpad diff', 'scratchpad diff 3'],
      },
      undo: {
        about: 'undo the newest changes, including edits made by hand',
        takes: {
          '[count]': 'how many changes (default 1)',
          '--others': "also those of a host's session, for a person at the shell",
        },
        examples: ['scratchpad undo', 'scratchpad undo 3'],
      },
      redo: {
        about: 'redo changes that were undone',
        takes: { '[count]': 'how many changes (default 1)' },
        examples: ['scratchpad redo'],
      },
      restore: {
        about: 'restore the spaces to what they were at a revision',
        takes: { '<revision>': 'its number, as history shows it', '--space <name>': 'only this space' },
        examples: ['scratchpad restore 7', 'scratchpad restore 7 --space plan'],
      },
    }),
  ],
};
