import type { Family } from './family.ts';

/** Named entries, sessions, and the shared store. */
export const CONTENTS: Family = {
  heading: 'Long contents and sessions:',
  bodies: {
    entry: () => import('../entry.ts'),
    run: () => import('../run.ts'),
    'session restore': () => import('../session-transfer.ts'),
    'session persist': () => import('../session-transfer.ts'),
    session: () => import('../session.ts'),
    store: () => import('../store.ts'),
  },
  text: `
entry  named contents of any size, kept outside the conversation
  $ curl -s https://example.com/api | scratchpad entry write response -
  $ scratchpad entry read response --offset 30000
  write  store a content under a name; overwrites an entry of that name
    <name>             up to 200 characters
    [text]             the content, or - for the bytes of stdin
    -f, --file <path>  store the bytes of a file
    -a, --append       append to the entry
    $ curl -s https://example.com/api | scratchpad entry write response -
  read  print part of an entry, or the lines that match
    <name>                 the entry
    --offset <n>           how many characters to skip
    -n, --limit <n>        at most this many characters (default 30,000), with --regex this many lines (default 100)
    -e, --regex <pattern>  print only matching lines, with their numbers (RE2 syntax)
    -i, --ignore-case      ignore case
    -C, --context <n>      lines to show around each match
    --raw                  print all of its bytes unchanged
    $ scratchpad entry read execute_command_1 --offset 30000
    $ scratchpad entry read build -e "error|warn" -C 2
  edit  replace the whole content or a text that occurs exactly once, or open the entry in your editor
    <name>             the entry
    --content <text>   the new content
    -f, --file <path>  read the new content from a file
    --old <text>       the text to replace
    --new <text>       the new text; "" deletes the old one
    --all              replace every match
  list (default)  list all entries with size, time and origin
    --past  list overwritten and deleted entries that can be restored
  delete  delete entries; their last versions are kept for a while
    <names...>  the entries
    --for-good  delete them permanently
  undelete  restore an entry as it was before it was overwritten or deleted
    <name>          the entry
    --back <count>  how many versions back (1)
  rename  rename an entry
    <from>   its name
    <to>     its new name
    --force  overwrite an existing entry of that name
  merge  concatenate entries into one
    <into>              the entry to create
    <names...>          the parts, in order
    --separator <text>  text between two parts; a newline where one is missing unless given
    --remove            delete the parts afterwards
    --force             overwrite an existing entry of that name
  load  store the bytes of a file
    <name>  the entry
    <file>  the file
  save  write the bytes of an entry to a file
    <name>   the entry
    <file>   the file
    --force  overwrite an existing file
  search  print matching lines of all entries, or of some (RE2 syntax, at most 100 lines)
    <pattern>          a regular expression
    [names...]         the entries; all unless given
    -i, --ignore-case  ignore case
    -C, --context <n>  lines to show around each match
  prune  remove automatically kept outputs that exceed outputs.keep or outputs.size
    --dry-run  only list them
run  run a command; if its output is too long, keep it as an entry and show a preview
  <command...>         the command and its arguments; options after its name belong to it
  --scratchpad <name>  always keep the output, under this name
  --limit <n>          the longest output to show in full (default 30,000 characters)
  --preview <n>        length of a preview (default 2,000 characters)
  $ scratchpad run npm test
  $ scratchpad run --scratchpad tests pytest -q
session  manage sessions, each with its own pad
  $ scratchpad session list
  $ scratchpad session fork main experiment
  list (default)  list the sessions of this workspace, last changed first
  show  show one session: its pad, how full it is, its entries
    [session]  its id; that of --session unless given
  fork  create a session with all spaces and entries of another
    <parent>  the session to copy
    <child>   id of the new session
  spawn  create an empty session
    <parent>              the session it belongs to
    <child>               id of the new session
    --copy-notepad        start with the parent's notes
    --inherit <names...>  let it read these entries of the parent
    $ scratchpad session spawn main sub-1 --copy-notepad --inherit schema
  archive  move a session to .scratchpad/archive/
    <session>  its id
  prune  archive sessions unchanged for 30 days, but never the primary one
    --older-than <duration>  unchanged for this long, such as 7d or 12h (default 30d)
    --dry-run                only list them
    $ scratchpad session prune --older-than 14d --dry-run
  adopt  take over plan, notes and refs of another session, such as that of a removed work tree, and archive it
    <session>  its id
    --replace  replace a plan that is not done with its plan
  delete  delete a session with its pad and its entries; session restore brings it back
    <session>   its id
    --yes       required for the primary session, whose pad is SCRATCHPAD.md
    --for-good  delete it permanently
  restore  restore a session that was archived or deleted, or rebuild the spaces from a session file
    [session]      its id
    --from <file>  an OpenClaw or pi session, an OpenClaw database, or a scratchpad journal
    $ scratchpad session restore experiment
    $ scratchpad session restore --from ~/.pi/agent/sessions/--home-me-app--/s.jsonl
  persist  append the spaces to a session file of OpenClaw or pi
    --to <file>  the session file (JSONL)
store  share the memory between machines, in PostgreSQL
  $ scratchpad config set --user store postgres://agents@db.example.com/scratchpad
  $ scratchpad store migrate --grant agents
  status  show where the store is, when this workspace last synced, and what is unsent
    --offline  do not ask the server
  join  start to share the memory of this workspace
  push  send unsent changes, and take in changes they conflict with
  pull  take in changes of other machines, and send unsent ones
    --all  also take in sessions that are not on this machine yet
  migrate  set up the database or bring it up to date; connect as the role that is to own it
    --grant <role>             give a database role access
    --tenant <name> = default  the tenant whose rows that role may see
  forget  delete a session from the store; the copy on this machine stays
    <session>  its id
  sync (hidden)  send and take in changes until none are left, in the background of other commands
`,
};
