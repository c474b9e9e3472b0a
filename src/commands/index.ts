import type { Declared } from './command.ts';

/** A command of the first level: what help says of it, and where it is. */
export interface Row {
  name: string;
  about: string;
  load(): Promise<Declared>;
}

/** The module of a command exports it under its name. */
const row = <Name extends string>(
  name: Name,
  about: string,
  load: () => Promise<{ readonly [name in Name]: Declared }>,
): Row => ({ name, about, load: async () => (await load())[name] });

/**
 * Every command, in the order of the help text. The module of a command is loaded when it runs, or when its help or its
 * verbs are asked for.
 */
export const FAMILIES: readonly { heading: string; commands: readonly Row[] }[] = [
  {
    heading: 'Pad:',
    commands: [
      row('init', 'create SCRATCHPAD.md in this directory', () => import('./init.ts')),
      row(
        'show',
        'print the pad, one of its spaces, an entry, or the spaces at a revision',
        () => import('./show.ts'),
      ),
      row(
        'edit',
        'open SCRATCHPAD.md, a space or an entry in your editor ($VISUAL, $EDITOR)',
        () => import('./edit.ts'),
      ),
      row(
        'search',
        "find words in the spaces, the entries, the last session's messages and the memory files; exits 1 if nothing matches",
        () => import('./search.ts'),
      ),
      row(
        'context',
        'print what a model is shown that has no hooks: the spaces, and the state block while it is fresh',
        () => import('./look.ts'),
      ),
      row(
        'merge',
        'merge two versions of a tracked pad, as a git merge driver; exits 1 on a conflict',
        () => import('./init.ts'),
      ),
      row(
        'check',
        'check how old the state block is and whether the file is intact; exits 4 if stale',
        () => import('./look.ts'),
      ),
      row(
        'status',
        'show whether an agent is connected, what it was told last, what is in the pad, what is wrong',
        () => import('./status.ts'),
      ),
      row(
        'report',
        'write an HTML page about the session: timeline, plan, messages, mood, what the model was told',
        () => import('./report.ts'),
      ),
      row(
        'line',
        'print one line for a shell prompt or a status line; nothing where there is no pad',
        () => import('./look.ts'),
      ),
    ],
  },
  {
    heading: 'Plan, notes and references:',
    commands: [
      row('notes', 'findings, decisions, partial state (4,000 characters)', () => import('./notes.ts')),
      row('plan', 'the steps of the current work (2,000 characters)', () => import('./plan.ts')),
      row('refs', 'files, URLs and identifiers to keep at hand (50 items)', () => import('./refs.ts')),
      row('history', 'list the changes to the spaces, newest first', () => import('./history.ts')),
      row(
        'diff',
        'show what changed between two revisions; the newest change unless given',
        () => import('./history.ts'),
      ),
      row('undo', 'undo the newest changes, including edits made by hand', () => import('./history.ts')),
      row('redo', 'redo changes that were undone', () => import('./history.ts')),
      row('restore', 'restore the spaces to what they were at a revision', () => import('./history.ts')),
    ],
  },
  {
    heading: 'Current state:',
    commands: [
      row(
        'assemble',
        'read the last session and the memory files, and write the state block',
        () => import('./assemble.ts'),
      ),
      row('memory', 'search MEMORY.md, USER.md and memory/', () => import('./memory.ts')),
      row(
        'mood',
        'show the mood of the person who spoke last, the evidence for it, and how to answer; stores nothing',
        () => import('./mood.ts'),
      ),
      row(
        'feedback',
        'rate the answers: their length, preamble and tone lean that way for some weeks',
        () => import('./feedback.ts'),
      ),
      row(
        'audit',
        'show for the last sessions the advice given, the length of the answers, and the feedback on them',
        () => import('./audit.ts'),
      ),
      row(
        'handover',
        'show where the last session stands and what the person said in it, as a next session may be told',
        () => import('./handover.ts'),
      ),
      row(
        'transcript',
        'show the sessions of the hosts, as scratchpad reads them',
        () => import('./transcript.ts'),
      ),
    ],
  },
  {
    heading: 'Agents and automation:',
    commands: [
      row(
        'install',
        'connect the scratchpad to a host, or set up a timer that assembles; shows the change and asks',
        () => import('./install.ts'),
      ),
      row('uninstall', 'revert an installation, byte for byte', () => import('./install.ts')),
      row(
        'guidance',
        'print what a system prompt or AGENTS.md should say about the scratchpad',
        () => import('./tools.ts'),
      ),
      row(
        'doctor',
        'find what keeps the scratchpad from reaching the agent; exits 1 if something does, 0 with a warning while no host is connected',
        () => import('./doctor.ts'),
      ),
      row(
        'hook',
        "answer one hook event of a host: its JSON on stdin, the host's format on stdout, always exits 0",
        () => import('./hook.ts'),
      ),
      row(
        'watch',
        'assemble whenever the session, a memory file or a setting changes; ends on a signal',
        () => import('./automatic.ts'),
      ),
      row(
        'schedule',
        'assemble on a schedule, in the foreground; ends on a signal',
        () => import('./automatic.ts'),
      ),
      row('tool', 'call one of the agent tools: JSON on stdin, JSON on stdout', () => import('./tools.ts')),
      row('mcp', 'serve the agent tools over MCP on stdin and stdout', () => import('./tools.ts')),
    ],
  },
  {
    heading: 'Long contents and sessions:',
    commands: [
      row('entry', 'named contents of any size, kept outside the conversation', () => import('./entry.ts')),
      row(
        'run',
        'run a command; if its output is too long, keep it as an entry and show a preview',
        () => import('./run.ts'),
      ),
      row('session', 'manage sessions, each with its own pad', () => import('./session.ts')),
      row('store', 'share the memory between machines, in PostgreSQL', () => import('./store.ts')),
    ],
  },
  {
    heading: 'Settings:',
    commands: [
      row('config', 'read and change the settings of this workspace', () => import('./config.ts')),
      row(
        'trust',
        'show which commands the config of this workspace would run, and approve them',
        () => import('./trust.ts'),
      ),
    ],
  },
];

export const ROWS = FAMILIES.flatMap(({ commands }) => commands);
