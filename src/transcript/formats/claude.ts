import { join } from 'node:path';
import { tryList } from '../../base/fs/index.ts';
import { textAt } from '../../base/text/json.ts';
import type { Format } from '../format.ts';
import { filesIn, type Home, type Surroundings } from '../home.ts';
import { isoTime } from '../time.ts';
import { claudeEvents } from './claude-events.ts';

/** Line types without a session id. */
const BARE_TYPES = new Set([
  'file-history-snapshot',
  'summary',
  'queue-operation',
  'custom-title',
  'last-prompt',
]);
/**
 * Claude Code keeps a project's sessions in a folder named after its path, with every other character
 * replaced by a dash.
 */
const claudeHome: Home = {
  sessions(search) {
    const projects = projectsOf(search);
    const { match } = search;
    // Two paths can have the same folder name, and a very long one is cut: the `cwd` in the lines decides.
    const folders = tryList(projects).filter((name) => isProject(name, match.names));
    return folders.flatMap((folder) => filesIn(join(projects, folder), isSession, (cwd) => match.owns(cwd)));
  },
  places: (search) => [
    {
      root: projectsOf(search),
      folder: (parts) => parts.length === 1 && isProject(parts[0] ?? '', search.match.names),
      file: (name, parts) => parts.length === 1 && isSession(name),
    },
  ],
};

/** Claude Code: `~/.claude/projects/<folded cwd>/<session>.jsonl`. */
export const claudeFormat: Format = {
  name: 'claude-code',
  title: 'Claude Code session (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type === undefined || 'payload' in record) return false;
    if (BARE_TYPES.has(type)) return true;
    return textAt(record, 'sessionId') !== undefined || ('parentUuid' in record && 'uuid' in record);
  },
  events: claudeEvents,
  about: (record) => ({
    session: textAt(record, 'sessionId'),
    cwd: textAt(record, 'cwd'),
    time: isoTime(record.timestamp),
    subagent: record.isSidechain === true ? 'record' : undefined,
  }),
  home: claudeHome,
};

const projectsOf = ({ env, home }: Surroundings): string =>
  join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects');

const isSession = (name: string): boolean => name.endsWith('.jsonl') && !name.startsWith('agent-');

/** Whether a project's folder may belong to a workspace with these names. */
function isProject(name: string, workspace: readonly string[]): boolean {
  return workspace
    .map((path) => path.replace(/[^a-zA-Z0-9]/g, '-'))
    .some(
      (fold) =>
        name === fold ||
        name.startsWith(`${fold}-`) ||
        (fold.length > 200 && name.startsWith(fold.slice(0, 200))),
    );
}
