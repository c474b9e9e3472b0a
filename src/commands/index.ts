import type { Declared } from './command.ts';

/** A command of the first level: what the list of commands says of it, and where it is. */
export interface Row {
  name: string;
  summary: string;
  load(): Promise<Declared>;
}

/** The module of a command exports it under its name. */
const row = <Name extends string>(
  name: Name,
  summary: string,
  load: () => Promise<{ readonly [name in Name]: Declared }>,
): Row => ({ name, summary, load: async () => (await load())[name] });

/** Every command, in the order of the help. Its module is loaded when it runs, or when its help or its verbs are asked for. */
export const FAMILIES: readonly { heading: string; commands: readonly Row[] }[] = [
  {
    heading: 'Pad:',
    commands: [
      row('init', 'create SCRATCHPAD.md in this directory', () => import('./init.ts')),
      row('show', 'print the pad, a space, an entry, or a revision', () => import('./show.ts')),
      row('edit', 'open the pad, a space or an entry in your editor', () => import('./edit.ts')),
      row('search', 'find words in the pad, the entries and the memory', () => import('./search.ts')),
      row('context', 'print what a model is shown that has no hooks', () => import('./look.ts')),
      row('merge', 'merge two versions of a tracked pad, for git', () => import('./init.ts')),
      row('check', 'say whether the state is fresh and the file intact', () => import('./look.ts')),
      row('status', 'show who is connected, what is told, what is wrong', () => import('./status.ts')),
      row('report', 'write an HTML page about the session', () => import('./report.ts')),
      row('line', 'print one line for a shell prompt or a status line', () => import('./look.ts')),
    ],
  },
  {
    heading: 'Plan, notes and references:',
    commands: [
      row('notes', 'findings, decisions, partial state (4,000 characters)', () => import('./notes.ts')),
      row('plan', 'the steps of the current work (2,000 characters)', () => import('./plan.ts')),
      row('refs', 'files, URLs and identifiers to keep at hand (50 items)', () => import('./refs.ts')),
      row('history', 'list the changes to the spaces, newest first', () => import('./history.ts')),
      row('diff', 'show what changed between two revisions', () => import('./history.ts')),
      row('undo', 'undo the newest changes, also those made by hand', () => import('./history.ts')),
      row('redo', 'redo changes that were undone', () => import('./history.ts')),
      row('restore', 'restore the spaces to an earlier revision', () => import('./history.ts')),
    ],
  },
  {
    heading: 'Current state:',
    commands: [
      row('assemble', 'read the last session and write the state block', () => import('./assemble.ts')),
      row('memory', 'search MEMORY.md, USER.md and memory/', () => import('./memory.ts')),
      row('mood', 'show how the person seems, and how to answer', () => import('./mood.ts')),
      row('feedback', 'rate the answers: their length, preamble and tone', () => import('./feedback.ts')),
      row('audit', 'show the advice of the last sessions, and its effect', () => import('./audit.ts')),
      row('handover', 'show what a next session is told of the last one', () => import('./handover.ts')),
      row('transcript', 'show the sessions of the hosts', () => import('./transcript.ts')),
    ],
  },
  {
    heading: 'Agents and automation:',
    commands: [
      row('install', 'connect the scratchpad to a host, or set up a timer', () => import('./install.ts')),
      row('uninstall', 'revert an installation, byte for byte', () => import('./install.ts')),
      row('guidance', 'print what a system prompt should say of it', () => import('./tools.ts')),
      row('doctor', 'find what keeps it from reaching the agent', () => import('./doctor.ts')),
      row('hook', 'answer one hook event of a host', () => import('./hook.ts')),
      row('watch', 'assemble whenever the session changes', () => import('./automatic.ts')),
      row('schedule', 'assemble on a schedule', () => import('./automatic.ts')),
      row('tool', 'call one of the agent tools: JSON in, JSON out', () => import('./tools.ts')),
      row('mcp', 'serve the agent tools over MCP', () => import('./tools.ts')),
    ],
  },
  {
    heading: 'Long contents and sessions:',
    commands: [
      row('entry', 'named contents of any size', () => import('./entry.ts')),
      row('run', 'run a command; keep a long output as an entry', () => import('./run.ts')),
      row('session', 'manage sessions, each with its own pad', () => import('./session.ts')),
      row('store', 'share the memory between machines, in PostgreSQL', () => import('./store.ts')),
    ],
  },
  {
    heading: 'Settings:',
    commands: [
      row('config', 'read and change the settings', () => import('./config.ts')),
      row('trust', 'approve the commands that the config would run', () => import('./trust.ts')),
    ],
  },
];

export const ROWS = FAMILIES.flatMap(({ commands }) => commands);
