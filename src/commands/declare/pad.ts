import type { Family } from './family.ts';

/** The file as a whole, and ways to look at a session: a page, a line. */
export const PAD: Family = {
  heading: 'Pad:',
  bodies: {
    init: () => import('../init.ts'),
    show: () => import('../show.ts'),
    edit: () => import('../edit.ts'),
    search: () => import('../search.ts'),
    context: () => import('../context.ts'),
    merge: () => import('../merge.ts'),
    check: () => import('../check.ts'),
    status: () => import('../status.ts'),
    report: () => import('../report.ts'),
    line: () => import('../line.ts'),
  },
  text: `
init  create SCRATCHPAD.md in this directory
  --tracked  in a git work tree: have git track the pad and merge it space by space
  $ scratchpad init
  $ scratchpad init --workspace ~/agent
show  print the pad, one of its spaces, or the spaces at a revision
  [what]  plan, notes, refs, state, or the number of a revision; the whole pad unless given
  $ scratchpad show
  $ scratchpad show plan
edit  open SCRATCHPAD.md, a space or an entry in your editor ($VISUAL, $EDITOR)
  [what]  plan, notes, refs, or the name of an entry; the whole file unless given
  $ scratchpad edit
  $ scratchpad edit plan
search  find words in the spaces, the entries, the last session's messages and the memory files; exits 1 if nothing matches
  <words...>       what to look for
  -n, --limit <n>  at most this many lines from each source (default 10)
  --in <sources>   only these, separated by commas: plan, notes, refs, entries, handover, memory
  $ scratchpad search timezone
  $ scratchpad search --in notes,memory token expiry
context  print what a model is shown that has no hooks: the spaces, and the state block while it is fresh
  --explain            show what hooks told the model in its current context window, what they held back, and why
  --host-session <id>  with --explain: id of the host's session; the newest unless given
  $ scratchpad context
  $ scratchpad context --explain
merge  merge two versions of a tracked pad, as a git merge driver; exits 1 on a conflict
  <base>    the common ancestor
  <ours>    one version; the result replaces it
  <theirs>  the other version
  $ scratchpad merge base.md ours.md theirs.md
check  check how old the state block is and whether the file is intact; exits 4 if stale
  $ scratchpad check
  $ scratchpad check --quiet || scratchpad assemble
status  show where things are, how full the spaces are, what ran last and what went wrong
  $ scratchpad status
  $ scratchpad status --json
report  write an HTML page about the session: timeline, plan, messages, mood, what the model was told
  -o, --output <file>      the file to write, - for stdout (default .scratchpad/report.html)
  -t, --transcript <file>  a host's session file; the most recently active session unless given
  $ scratchpad report
  $ scratchpad report --output session.html
line  print one line for a shell prompt or a status line; nothing where there is no pad
  --stdin  take the directory from the JSON that Claude Code's statusLine passes on stdin
  $ PS1='$(scratchpad line 2>/dev/null) \\$ '
  $ scratchpad line --stdin   # as statusLine in .claude/settings.json
`,
};
