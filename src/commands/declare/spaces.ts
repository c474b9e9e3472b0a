import type { Family } from './family.ts';

/** The three owned spaces, and what happened to them. Each shows itself where no verb is given. */
export const SPACES: Family = {
  heading: 'Plan, notes and references:',
  bodies: {
    notes: () => import('../notes.ts'),
    plan: () => import('../plan.ts'),
    refs: () => import('../refs.ts'),
    history: () => import('../history.ts'),
    diff: () => import('../history.ts'),
    undo: () => import('../history.ts'),
    redo: () => import('../history.ts'),
    restore: () => import('../history.ts'),
  },
  text: `
notes  findings, decisions, partial state (4,000 characters)
  $ scratchpad notes
  $ scratchpad notes add "Build fails only on arm64"
  show (default)  print the notes
    --numbers  number the lines
  add|append  add a line; refused if it does not fit
    [text]             the text, or - to read it from stdin
    -f, --file <path>  read the text from a file
    $ scratchpad notes add "Root cause: timezone mismatch in token expiry"
  prepend  add a line at the top; refused if it does not fit
    [text]             the text, or - to read it from stdin
    -f, --file <path>  read the text from a file
  set  replace the notes; text over the limit is cut, with a warning
    [text]             the text, or - to read it from stdin
    -f, --file <path>  read the text from a file
  edit  change the text of a line, or open the notes in your editor
    [line]             its number; the editor opens unless given
    [text]             the text, or - to read it from stdin
    -f, --file <path>  read the text from a file
    $ scratchpad notes edit
    $ scratchpad notes edit 3 "port 9090"
  replace  replace a text that occurs exactly once
    <find>  the text as it is in the notes
    <with>  the new text
    --all   replace every match
    $ scratchpad notes replace "port 8080" "port 9090"
  remove  remove lines by number, or a text that occurs exactly once
    <what...>  line numbers, or the text as it is in the notes
    --all      remove every match of the text
    $ scratchpad notes remove 3
    $ scratchpad notes remove "port 8080"
  delete  remove a text that occurs exactly once, even if it is a number
    <text>  the text as it is in the notes
    --all   remove every match
  move  move a line to the place of another
    <line>  its number
    <to>    the number of the place
  promote  add this session's notes to the shared notes of all sessions
  clear  empty the notes
plan  the steps of the current work (2,000 characters)
  $ scratchpad plan set "1. Fix auth bug\\n2. Add test"
  $ scratchpad plan done
  show (default)  print the plan
    --numbers  with the numbers of the steps, as the other commands take them
  add  add a step at the end, or one for each line
    [text]             the text, or - to read it from stdin
    -f, --file <path>  read the text from a file
  set  replace the plan; text over the limit is cut, with a warning
    [text]             the text, or - to read it from stdin
    -f, --file <path>  read the text from a file
  edit  change the text of a step, or open the plan in your editor
    [number]           number of the step; the editor opens unless given
    [text]             the text, or - to read it from stdin
    -f, --file <path>  read the text from a file
  done  strike steps through and mark them DONE; moves the current marker on
    [numbers...]  numbers of the steps, such as 2 or 2-4; the current one unless given
  undone  reopen steps
    <numbers...>  numbers of the steps, such as 2 or 2-4
  current  mark a step as the current one
    <number>  number of the step
  remove  remove steps and renumber the rest
    <numbers...>  numbers of the steps, such as 2 or 2-4
  move  move a step to the place of another and renumber the plan
    <number>  number of the step
    <to>      number of the place
  clear  empty the plan
  take  make another open plan the one here: that of another session, branch or work tree
    [number]  its number, as plan and SCRATCHPAD.md show it; not needed if there is only one
    $ scratchpad plan take 2
  adopt  take over the agent's own task list, or the approved plan, from the last session
    --replace  replace the existing plan
refs  files, URLs and identifiers to keep at hand (50 items)
  $ scratchpad refs
  $ scratchpad refs add src/auth/login.ts
  show|list (default)  print one ref per line, oldest first
    --numbers  number the lines
  add  add refs as the newest; drops the oldest when there are 50
    [refs...]          the refs, or - to read one from stdin
    -f, --file <path>  read the ref from a file
  set  replace all refs; the first 50 are kept
    [refs...]          the refs, or - for a JSON array or one per line on stdin
    -f, --file <path>  read them from a file
  edit  replace a ref, or open the refs in your editor
    [ref]              its text or its number; the editor opens unless given
    [replacement]      the new ref
    -f, --file <path>  read the replacement from a file
  remove  remove refs by their exact text, or by their number
    [refs...]          the refs, or - to read one from stdin
    -f, --file <path>  read the ref from a file
  move  move a ref to another place; the first is the oldest
    <ref>  its text or its number
    <to>   number of the place
  clear  remove all refs
  adopt  add the files that the last session worked with
history  list the changes to the spaces, newest first
  -n, --limit <n> = 20  how many to show
  --space <name>        only this space
  $ scratchpad history
  $ scratchpad history --space notes --limit 5
diff  show what changed between two revisions; the newest change unless given
  [from]  number of the earlier revision
  [to]    number of the later revision; the newest unless given
  $ scratchpad diff
  $ scratchpad diff 3
undo  undo the newest changes, including edits made by hand
  [count]   how many changes (default 1)
  --others  also those of a host's session, for a person at the shell
  $ scratchpad undo
  $ scratchpad undo 3
redo  redo changes that were undone
  [count]  how many changes (default 1)
  $ scratchpad redo
restore  restore the spaces to what they were at a revision
  <revision>      its number, as history shows it
  --space <name>  only this space
  $ scratchpad restore 7
  $ scratchpad restore 7 --space plan
`,
};
