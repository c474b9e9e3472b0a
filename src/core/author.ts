import type { Revision } from '../session/journal.ts';

const SESSION_SHOWN = 8;

/** The author of a revision in a word or two: `claude-code 7c1f0a52`, `by hand`, `sam`. */
export function spellAuthor({ by, actor }: Pick<Revision, 'by' | 'actor'>): string {
  if (by === 'edit') return 'by hand';
  if (by === 'git') return 'by git';
  if (by === 'merge') return 'by hand, merged';
  const { agent, session, user } = actor ?? {};
  if (agent) return session === undefined ? agent : `${agent} ${session.slice(0, SESSION_SHOWN)}`;
  return (
    {
      cli: user ?? 'command',
      library: 'library',
      tool: 'tool',
      restore: 'restored',
      remote: user ?? 'another machine',
    }[by] ?? by
  );
}
