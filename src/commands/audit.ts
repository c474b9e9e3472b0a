import { getMessage } from '../base/errors.ts';
import { formatCount } from '../base/text/strings.ts';
import { auditTurns, groupTurns } from '../sentiment/feedback/audit.ts';
import { formatStrategy, readFeedback } from '../sentiment/feedback/remarks.ts';
import { tryLoadModel } from '../sentiment/model.ts';
import { readTranscriptFile, type Transcript } from '../transcript/read.ts';
import { defineCommand } from './command.ts';
import type { Invocation } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';
import { renderColumns } from './print.ts';
import { hostSessionNotFound, listHostSessions } from './transcript.ts';

const SESSIONS = 5;
/** Of a session that lasts for months the last messages are enough. */
const MESSAGES = 2000;

interface SessionReading {
  session: string;
  source: string;
  transcript: Transcript;
}

export const audit = defineCommand({
  takes: { '-n, --sessions <n>': 'how many sessions (default 5)' },
  examples: ['scratchpad audit', 'scratchpad audit --sessions 20 --json'],
  run: async (call, { sessions: limit = SESSIONS }) => {
    const opened = await openSession(call);
    const { config, store } = opened;
    const readings = await readLastSessions(call, opened, limit);
    const options = {
      feedback: { events: readFeedback(store.paths.data).events, lastsMs: config.feedback.lasts },
      model: tryLoadModel(),
      windowMessages: config.window.messages,
      windowMs: config.window.age,
    };

    const audited = readings.map(({ session, source, transcript: { messages } }) => ({
      session,
      source,
      turns: auditTurns({ ...options, session, messages }),
    }));

    const turns = audited.flatMap((each) => each.turns).sort((a, b) => (a.at < b.at ? -1 : 1));
    const sessions = audited.map((each) => ({ ...each, turns: each.turns.length }));
    const groups = groupTurns(turns);
    const rows = groups.map(({ strategy, turns: answers, words, said }) => [
      formatStrategy(strategy),
      String(answers),
      String(words),
      Object.entries(said)
        .map(([meaning, times]) => `${meaning} ${times}`)
        .join(', '),
    ]);

    call.print({ sessions, groups, turns }, [
      sessions.map((each) => `${each.session}: ${formatCount(each.turns, 'answer')}, ${each.source}`),
      turns.length === 0
        ? 'no answer has a timestamp: nothing to review'
        : [
            '',
            renderColumns([['advice', 'answers', 'words', 'feedback'], ...rows], [1, 2]),
            '(advice: how to answer, as the state block says it; words: of a median answer, without code)',
          ],
    ]);
  },
});

async function readLastSessions(call: Invocation, opened: OpenPad, limit: number): Promise<SessionReading[]> {
  const readings: SessionReading[] = [];
  for (const { id, path, host } of (await listHostSessions(call, opened, limit)).slice(0, limit)) {
    try {
      const transcript = await readTranscriptFile(path, { limit: MESSAGES, session: id });
      readings.push({ session: id, source: `${path} (${host})`, transcript });
    } catch (error) {
      call.note(`warning: ${path} is skipped: ${getMessage(error)}`);
    }
  }

  if (readings.length > 0) return readings;
  throw hostSessionNotFound('list them with: scratchpad transcript list');
}
