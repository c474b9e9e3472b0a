import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { buildProgram } from '../src/commands/program.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { fileOfStart, sessionTold, storyTold, type Terminal, terminal } from './samples.ts';

/**
 * The parts of the documentation that are generated from the code: `npx tsx scripts/docs.ts` writes them, and
 * a test checks that they are up to date.
 */
export interface MadePart {
  page: string;
  /** The part is between `<!-- made: NAME -->` and `<!-- /made: NAME -->`. */
  name: string;
  make: () => string;
}

export const MADE_PARTS: readonly MadePart[] = [
  { page: 'docs/config.md', name: 'settings', make: settingsTable },
  { page: 'docs/commands.md', name: 'reference', make: commandReference },
  { page: 'README.md', name: 'told', make: toldStory },
  { page: 'docs/hosts/claude-code.md', name: 'session', make: sessionTold },
  { page: 'workspace-example/README.md', name: 'file', make: fileOfStart },
  typed('docs/config.md', 'check', {
    before: ['init'],
    files: {
      '.scratchpad/config.yaml': 'timezone: Australia/Sydney\nlimits:\n  note: 6000\nttl: soon\n',
    },
    shown: ['config check'],
  }),
  typed('docs/json.md', 'refused', {
    before: ['plan set "1. Fix auth bug\n2. Add test"'],
    shown: ['plan done 9 --json'],
  }),
  typed('docs/tools.md', 'tool', {
    shown: ['{"action":"append_notes","content":"Root cause: timezone mismatch"} | tool session.scratchpad'],
  }),
  typed('docs/entries.md', 'owner', {
    before: ['init', `${longOutputOf('7c1f0a52')} | hook claude-code`],
    env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'another' },
    shown: ['entry edit execute_command_1 --session 7c1f0a52 --content "…"'],
  }),
  typed('docs/feedback.md', 'heard', { shown: ['feedback "too verbose"'] }),
  typed('docs/feedback.md', 'because', {
    before: ['feedback "too verbose"'],
    shown: ['assemble --explain --dry-run'],
    only: /Verbosity|feedback: verbosity/,
  }),
  typed('docs/feedback.md', 'audit', { shown: ['audit'] }),
  typed('docs/triggers.md', 'watch', { shown: ['watch'], until: 'assembled' }),
  typed('docs/triggers.md', 'schedule', {
    shown: ['schedule --every 10m --active-hours 07:00-23:00 --dry-run'],
  }),
  typed('docs/triggers.md', 'cron', {
    shown: ['install cron --every 10m --active-hours 07:00-23:00 --dry-run'],
  }),
  typed('docs/triggers.md', 'status', {
    before: ['install cron --every 10m --yes', 'assemble --trigger cron'],
    shown: ['status'],
    only: /^(?:workspace|state|from|timer|trigger)/,
  }),
];

function typed(page: string, name: string, sample: Terminal): MadePart {
  return { page, name, make: () => terminal(sample) };
}

/** The event with which Claude Code reports an output that is too long to be shown. */
function longOutputOf(session: string): string {
  return JSON.stringify({
    session_id: session,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    tool_response: { stdout: 'not ok\n'.repeat(6000), stderr: '', isImage: false },
  });
}

/** What the model is shown, each text in a block of its own. */
function toldStory(): string {
  return storyTold()
    .map(({ heading, text }) => `${heading}\n\n\`\`\`markdown\n${text}\n\`\`\``)
    .join('\n\n');
}

/**
 * A page's text with a part generated again.
 * @throws Error if the page has no place for it
 */
export function withPart(text: string, { page, name, make }: MadePart): string {
  const [open, close] = [`<!-- made: ${name} -->`, `<!-- /made: ${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`${page}: expected ${open} and ${close}`);
  return `${text.slice(0, start + open.length)}\n\n${make()}\n\n${text.slice(end)}`;
}

const KINDS = new Map<string, string>([
  ['text', 'text'],
  ['zone', 'time zone'],
  ['duration', 'duration'],
  ['count', 'number'],
  ['turns', 'number'],
  ['percent', 'percent'],
  ['switch', 'on, off'],
  ['list', 'list'],
  ['command', 'command'],
]);

function settingsTable(): string {
  const rows = SETTINGS.map(({ key, kind, options, own, default: usual, about }) => {
    const takes = options ? options.join(', ') : (KINDS.get(kind) ?? kind);
    const where = {
      true: ' *Your own file only.*',
      outside: ' *Outside the workspace: your own file only.*',
    };
    return `| \`${key}\` | ${takes} | ${spellDefault(usual)} | ${cell(about)}${own ? where[`${own}`] : ''} |`;
  });
  return ['| setting | takes | default | what it is for |', '|---|---|---|---|', ...rows].join('\n');
}

function spellDefault(value: (typeof SETTINGS)[number]['default']): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'object' ? value.join(', ') || 'none' : String(value);
}

function commandReference(): string {
  const program = buildProgram(() => async () => undefined);
  return leavesOf(program)
    .map((command) => {
      const options = command.options.map(
        ({ flags, description, defaultValue }) =>
          `| \`${cell(flags)}\` | ${cell(description)}${typeof defaultValue === 'string' ? ` (${defaultValue})` : ''} |`,
      );
      const table = options.length === 0 ? [] : ['', '| option | |', '|---|---|', ...options];
      return [
        `### ${nameOf(command)}`,
        '',
        `\`${usageOf(command)}\`: ${command.description()}`,
        ...table,
      ].join('\n');
    })
    .join('\n\n');
}

/** Commands that do something, in the order of the help text. */
function leavesOf(command: Command): Command[] {
  if (command.commands.length === 0) return [command];
  return command.commands.flatMap(leavesOf);
}

function nameOf(command: Command): string {
  const parent = command.parent;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function usageOf(command: Command): string {
  const texts = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return ['scratchpad', nameOf(command), ...texts].join(' ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const part of MADE_PARTS) {
    const path = join(import.meta.dirname, '..', part.page);
    writeFileSync(path, withPart(readFileSync(path, 'utf8'), part));
  }
}
