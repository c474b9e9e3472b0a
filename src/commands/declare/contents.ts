import { type Family, from } from './family.ts';

/** Named entries, sessions, and the shared store. */
export const CONTENTS: Family = {
  heading: 'Long contents and sessions:',
  commands: [
    {
      name: 'entry',
      about: 'named contents of any size, kept outside the conversation',
      examples: [
        'curl -s https://example.com/api | scratchpad entry write response -',
        'scratchpad entry read response --offset 30000',
      ],
      verbs: [
        ...from(() => import('../entry.ts'), {
          write: {
            about: 'store a content under a name; overwrites an entry of that name',
            takes: {
              '<name>': 'up to 200 characters',
              '[text]': 'the content, or - for the bytes of stdin',
              '-f, --file <path>': 'store the bytes of a file',
              '-a, --append': 'append to the entry',
            },
            examples: ['curl -s https://example.com/api | scratchpad entry write response -'],
          },
          read: {
            about: 'print part of an entry, or the lines that match',
            takes: {
              '<name>': 'the entry',
              '--offset <n>': 'how many characters to skip',
              '-n, --limit <n>':
                'at most this many characters (default 30,000), with --regex this many lines (default 100)',
              '-e, --regex <pattern>': 'print only matching lines, with their numbers (RE2 syntax)',
              '-i, --ignore-case': 'ignore case',
              '-C, --context <n>': 'lines to show around each match',
              '--raw': 'print all of its bytes unchanged',
            },
            examples: [
              'scratchpad entry read execute_command_1 --offset 30000',
              'scratchpad entry read build -e "error|warn" -C 2',
            ],
          },
          edit: {
            about:
              'replace the whole content or a text that occurs exactly once, or open the entry in your editor',
            takes: {
              '<name>': 'the entry',
              '--content <text>': 'the new content',
              '-f, --file <path>': 'read the new content from a file',
              '--old <text>': 'the text to replace',
              '--new <text>': 'the new text; "" deletes the old one',
              '--all': 'replace every match',
            },
          },
          list: {
            about: 'list all entries with size, time and origin',
            usual: true,
            takes: { '--past': 'list overwritten and deleted entries that can be restored' },
          },
          delete: {
            about: 'delete entries; their last versions are kept for a while',
            takes: { '<names...>': 'the entries', '--for-good': 'delete them permanently' },
          },
          undelete: {
            about: 'restore an entry as it was before it was overwritten or deleted',
            takes: { '<name>': 'the entry', '--back <count>': 'how many versions back (1)' },
          },
          rename: {
            about: 'rename an entry',
            takes: {
              '<from>': 'its name',
              '<to>': 'its new name',
              '--force': 'overwrite an existing entry of that name',
            },
          },
          load: {
            about: 'store the bytes of a file',
            takes: { '<name>': 'the entry', '<file>': 'the file' },
          },
          save: {
            about: 'write the bytes of an entry to a file',
            takes: { '<name>': 'the entry', '<file>': 'the file', '--force': 'overwrite an existing file' },
          },
          search: {
            about: 'print matching lines of all entries, or of some (RE2 syntax, at most 100 lines)',
            takes: {
              '<pattern>': 'a regular expression',
              '[names...]': 'the entries; all unless given',
              '-i, --ignore-case': 'ignore case',
              '-C, --context <n>': 'lines to show around each match',
            },
          },
          prune: {
            about: 'remove automatically kept outputs that exceed outputs.keep or outputs.size',
            takes: { '--dry-run': 'only list them' },
          },
        }),
      ],
    },
    ...from(() => import('../run.ts'), {
      run: {
        about: 'run a command; if its output is too long, keep it as an entry and show a preview',
        takes: {
          '<command...>': 'the command and its arguments; options after its name belong to it',
          '--scratchpad <name>': 'always keep the output, under this name',
          '--limit <n>': 'the longest output to show in full (default 30,000 characters)',
          '--preview <n>': 'length of a preview (default 2,000 characters)',
        },
        examples: ['scratchpad run npm test', 'scratchpad run --scratchpad tests pytest -q'],
      },
    }),
    {
      name: 'session',
      about: 'manage sessions, each with its own pad',
      examples: ['scratchpad session list', 'scratchpad session fork main experiment'],
      verbs: [
        ...from(() => import('../session.ts'), {
          list: { about: 'list the sessions of this workspace, last changed first', usual: true },
          show: {
            about: 'show one session: its pad, how full it is, its entries',
            takes: { '[session]': 'its id; that of --session unless given' },
          },
          fork: {
            about: 'create a session with all spaces and entries of another',
            takes: { '<parent>': 'the session to copy', '<child>': 'id of the new session' },
          },
          spawn: {
            about: 'create an empty session',
            takes: {
              '<parent>': 'the session it belongs to',
              '<child>': 'id of the new session',
              '--copy-notepad': "start with the parent's notes",
              '--inherit <names...>': 'let it read these entries of the parent',
            },
            examples: ['scratchpad session spawn main sub-1 --copy-notepad --inherit schema'],
          },
          archive: { about: 'move a session to .scratchpad/archive/', takes: { '<session>': 'its id' } },
          prune: {
            about: 'archive sessions unchanged for 30 days, but never the primary one',
            takes: {
              '--older-than <duration>': 'unchanged for this long, such as 7d or 12h (default 30d)',
              '--dry-run': 'only list them',
            },
            examples: ['scratchpad session prune --older-than 14d --dry-run'],
          },
          adopt: {
            about:
              'take over plan, notes and refs of another session, such as that of a removed work tree, and archive it',
            takes: { '<session>': 'its id', '--replace': 'replace a plan that is not done with its plan' },
          },
          delete: {
            about: 'delete a session with its pad and its entries; session restore brings it back',
            takes: {
              '<session>': 'its id',
              '--yes': 'required for the primary session, whose pad is SCRATCHPAD.md',
              '--for-good': 'delete it permanently',
            },
          },
          restore: {
            about:
              'restore a session that was archived or deleted, or rebuild the spaces from a session file',
            takes: {
              '[session]': 'its id',
              '--from <file>': 'an OpenClaw or pi session, an OpenClaw database, or a scratchpad journal',
            },
            examples: [
              'scratchpad session restore experiment',
              'scratchpad session restore --from ~/.pi/agent/sessions/--home-me-app--/s.jsonl',
            ],
          },
          persist: {
            about: 'append the spaces to a session file of OpenClaw or pi',
            takes: { '--to <file>': 'the session file (JSONL)' },
          },
        }),
      ],
    },
    {
      name: 'store',
      about: 'share the memory between machines, in PostgreSQL',
      examples: [
        'scratchpad config set --user store postgres://agents@db.example.com/scratchpad',
        'scratchpad store migrate --grant agents',
      ],
      verbs: [
        ...from(() => import('../store.ts'), {
          status: {
            about: 'show where the store is, when this workspace last synced, and what is unsent',
            takes: { '--offline': 'do not ask the server' },
          },
          join: { about: 'start to share the memory of this workspace' },
          pull: {
            about: 'take in changes of other machines, and send unsent ones',
            also: ['push'],
            takes: { '--all': 'also take in sessions that are not on this machine yet' },
          },
          migrate: {
            about: 'set up the database or bring it up to date; connect as the role that is to own it',
            takes: {
              '--grant <role>': 'give a database role access',
              '--tenant <name>': ['the tenant whose rows that role may see', 'default'],
            },
          },
          forget: {
            about: 'delete a session from the store; the copy on this machine stays',
            takes: { '<session>': 'its id' },
          },
          sync: {
            about: 'send and take in changes until none are left, in the background of other commands',
            hidden: true,
          },
        }),
      ],
    },
  ],
};
