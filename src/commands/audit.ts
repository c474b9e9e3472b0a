import { messageOf } from '../base/errors.ts';
import { counted as spellCount } from '../base/text/counts.ts';
import {
  type AuditGroup,
  type AuditTurn,
  auditTurns,
  groupTurns,
  type Resolution,
  resolutionIn,
} from '../sentiment/feedback/audit.ts';
import { readFeedback } from '../sentiment/feedback/file.ts';
import { spellStrategy } from '../sentiment/feedback/remarks.ts';
import { tryLoadModel } from '../sentiment/index.ts';
import { readTranscriptFile, type Transcript } from '../transcript/read.ts';
import { hostSessions, noHostSession } from './host-sessions.ts';
import { fileArgument, type Invocation, type Takes, wholeNumber } from './invocation.ts';
import { type Opened, openSession } from './open.ts';

type AuditOptions = Takes<'sessions' | 'transcript'>;

const SESSIONS = 5;
/** The last messages are enough of a session that lasts for months. */
const MESSAGES = 2000;

interface Read {
  session: string;
  source: string;
  transcript: Transcript;
}

/** For the last sessions: the advice given, the length of the answers, and the feedback on them. */
export async function audit(invocation: Invocation, options: AuditOptions): Promise<void> {
  const opened = await openSession(invocation);
  const { config, store } = opened;
  const read = await sessionsFor(invocation, options, opened);
  const shared = {
    feedback: { events: readFeedback(store.paths.data).events, lastsMs: config.feedback.lasts },
    model: tryLoadModel(),
    windowMessages: config.window.messages,
    windowMs: config.window.age,
  };
  const sessions = read.map(({ session, source, transcript: { messages } }) => ({
    session,
    source,
    turns: auditTurns({ ...shared, session, messages }),
  }));
  const turns = sessions.flatMap((each) => each.turns).sort((a, b) => (a.at < b.at ? -1 : 1));
  const groups = groupTurns(turns);
  const counted = sessions.map((each) => ({ ...each, turns: each.turns.length }));
  const resolution = resolutionIn(turns);
  invocation.result({ sessions: counted, resolution, groups, turns }, shown(counted, groups, turns));
}

async function sessionsFor(
  invocation: Invocation,
  { transcript, sessions }: AuditOptions,
  opened: Opened,
): Promise<Read[]> {
  if (transcript !== undefined) {
    const path = fileArgument(transcript, invocation);
    const read = await readTranscriptFile(path, { limit: MESSAGES });
    return [{ session: read.facts.id ?? transcript, source: path, transcript: read }];
  }
  const limit = wholeNumber(sessions, '--sessions', SESSIONS, { least: 1 });
  const refs = await hostSessions(invocation, opened, limit);
  const read: Read[] = [];
  for (const { id, path, host } of refs.slice(0, limit)) {
    try {
      const found = await readTranscriptFile(path, { limit: MESSAGES, session: id });
      read.push({ session: id, source: `${path} (${host})`, transcript: found });
    } catch (error) {
      invocation.note(`warning: ${path} is skipped: ${messageOf(error)}`);
    }
  }
  if (read.length > 0) return read;
  throw noHostSession('list them with: scratchpad transcript list (or name a file with --transcript)');
}

function shown(
  sessions: readonly { session: string; source: string; turns: number }[],
  groups: readonly AuditGroup[],
  turns: readonly AuditTurn[],
): string {
  const lines = sessions.map(
    ({ session, turns: count, source }) => `${session}: ${count} answers, ${source}`,
  );
  if (turns.length === 0) return [...lines, 'no answer has a timestamp: nothing to review'].join('\n');
  const names = groups.map(({ strategy }) => spellStrategy(strategy));
  const width = Math.max(...names.map((name) => name.length), 'strategy'.length);
  lines.push('', `${'strategy'.padEnd(width)}  answers  words  feedback`);
  groups.forEach(({ turns: count, words, said }, k) => {
    const remarks = Object.entries(said).map(([meaning, times]) => `${meaning} ${times}`);
    lines.push(
      `${(names[k] ?? '').padEnd(width)}  ${String(count).padStart(7)}  ${String(words).padStart(5)}  ${remarks.join(', ')}`.trimEnd(),
    );
  });
  lines.push('(advice derived from the transcripts; words: median of an answer without its code)');
  const resolution = resolutionIn(turns);
  if (resolution) lines.push(spellResolution(resolution));
  return lines.join('\n');
}

function spellResolution({ times, resolved, minutes, answers }: Resolution): string {
  const began = `Frustrated ${times === 1 ? 'once' : `${times} times`}`;
  if (minutes === null || answers === null) return `${began}, and still so at the end of the session.`;
  const over = resolved === times ? 'resolved' : `resolved ${resolved} of them,`;
  return `${began}, ${over} after ${spellCount(answers, 'answer')} and ${minutes} min (median).`;
}
