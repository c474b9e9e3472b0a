import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SETTINGS } from '../src/config/settings.ts';
import {
  playNextMorning,
  playSession,
  playTwoSessions,
  readStartFile,
  runTerminal,
  type Terminal,
} from './samples.ts';

/**
 * The parts of the documentation that are generated from the code: `npx tsx scripts/docs.ts` writes them, and
 * a test checks that they are up to date.
 */
export interface MadePart {
  page: string;
  /** The part is between `<!-- made: NAME -->` and `<!-- /made: NAME -->`. */
  name: string;
  make: () => string | Promise<string>;
}

export const MADE_PARTS: readonly MadePart[] = [
  { page: 'README.md', name: 'morning', make: playNextMorning },
  { page: 'workspace-example/README.md', name: 'file', make: readStartFile },
  { page: 'docs/told.md', name: 'session', make: playSession },
  { page: 'docs/sessions.md', name: 'two', make: playTwoSessions },
  formatType('docs/state.md', 'heard', { shown: ['feedback "too verbose"'] }),
  formatType('docs/tools.md', 'tool', {
    shown: ['{"action":"append_notes","content":"Root cause: timezone mismatch"} | tool session.scratchpad'],
  }),
  formatType('docs/tools.md', 'refused', {
    before: ['plan set "1. Fix auth bug\n2. Add test"'],
    shown: ['plan done 9 --json'],
  }),
];

/** The settings of each page by name; `*` stands for any end. A test checks that each setting is on one page. */
export const SETTINGS_OF: Readonly<Record<string, readonly string[]>> = {
  'docs/hosts.md': ['hook.deadline', 'transcript.*', 'mcp.*'],
  'docs/told.md': ['scratchpad.enabled', 'hook.say', 'recite.*', 'compaction.*', 'nudge*'],
  'docs/sessions.md': ['primary*', 'spaces.*', 'archive.*', 'subagent.*', 'store', 'shared.*'],
  'docs/state.md': 'timezone activeHours ttl state.* window.* stages.* feedback.* alerts.* routing.*'.split(
    ' ',
  ),
  'docs/memory.md': ['memory.*'],
  'docs/tools.md': ['limits.*', 'scratchpad.maxTokens', 'outputs.*'],
};

export const SETTINGS_PARTS: readonly MadePart[] = Object.entries(SETTINGS_OF).map(([page, names]) => ({
  page,
  name: 'settings',
  make: () => renderSettings(names),
}));

function formatType(page: string, name: string, sample: Terminal): MadePart {
  return { page, name, make: () => runTerminal(sample) };
}

/** A page's text with a part generated again. @throws Error if the page has no place for it */
export async function withPart(text: string, { page, name, make }: MadePart): Promise<string> {
  const [open, close] = [`<!-- made: ${name} -->`, `<!-- /made: ${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`${page}: expected ${open} and ${close}`);
  return `${text.slice(0, start + open.length)}\n\n${await make()}\n\n${text.slice(end)}`;
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

export const listSettings = (names: readonly string[]): typeof SETTINGS =>
  SETTINGS.filter(({ key }) =>
    names.some((name) => (name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : key === name)),
  );

function renderSettings(names: readonly string[]): string {
  const rows = listSettings(names).map(({ key, kind, options, own, default: usual, about }) => {
    const takes = options ? options.join(', ') : (KINDS.get(kind) ?? kind);
    const where = {
      true: ' *Your own file only.*',
      outside: ' *Outside the workspace: your own file only.*',
    };
    const value = formatDefault(usual);
    return `- \`${key}\` (${takes}${value === '' ? '' : `; ${value}`}): ${about}${own ? where[`${own}`] : ''}`;
  });
  return ['In brackets: values; default.', '', ...rows].join('\n');
}

function formatDefault(value: (typeof SETTINGS)[number]['default']): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'object' ? value.join(', ') || 'none' : String(value);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const part of [...MADE_PARTS, ...SETTINGS_PARTS]) {
    const path = join(import.meta.dirname, '..', part.page);
    writeFileSync(path, await withPart(readFileSync(path, 'utf8'), part));
  }
}
