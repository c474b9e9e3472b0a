import { numberAt } from '../../text/json.ts';
import type { EventSink, SessionEvent } from '../event.ts';
import type { Position, Stretch } from '../read-events.ts';
import { OpenClawDatabase } from './openclaw-database.ts';
import { BEFORE_ALL, FORMAT, feedEvents, isProjected, pickSession } from './openclaw-sqlite.ts';

/** Most bytes of events to read at once. */
const MOST_EVENT_BYTES = 16 * 1024 * 1024;

/** Like `readEvents`, for one session of an OpenClaw database; the offset is a sequence number. */
export async function readOpenClawEvents(
  path: string,
  options: { after?: Position; session?: string },
): Promise<Stretch> {
  const database = OpenClawDatabase.open(path);
  try {
    const session = pickSession(database, options.session);
    const empty = { offset: BEFORE_ALL, mark: session?.id ?? '', ends: [] };
    if (session === undefined)
      return { format: FORMAT, events: [], position: empty, continues: false, whole: true };
    const { after } = options;
    if (after !== undefined && after.mark === session.id && isActive(database, session.id, after.offset)) {
      const stretch = await stretchOf(database, session.id, after.offset, after.ends);
      if (stretch.continues) return stretch;
    }
    return { ...(await stretchOf(database, session.id, BEFORE_ALL, [])), continues: false };
  } finally {
    database.close();
  }
}

async function stretchOf(
  database: OpenClawDatabase,
  id: string,
  after: number,
  ends: readonly string[],
): Promise<Stretch> {
  const events: SessionEvent[] = [];
  let bytes = 0;
  const sink: EventSink = {
    get full() {
      return bytes > MOST_EVENT_BYTES;
    },
    add(event) {
      if (event.type === 'skip') return;
      bytes += 'text' in event ? event.text.length + 200 : 200;
      events.push(event);
    },
  };
  const { link } = await feedEvents(database, id, sink, after);
  const last = database.row('SELECT max(seq) AS seq FROM transcript_events WHERE session_id = ?', id);
  const known = after === BEFORE_ALL || link.follows === undefined || ends.includes(link.follows);
  return {
    format: FORMAT,
    events: events.reverse(),
    position: {
      offset: numberAt(last, 'seq') ?? BEFORE_ALL,
      mark: id,
      ends: link.ends.length > 0 ? link.ends : ends,
    },
    continues: known,
    whole: !sink.full,
  };
}

/** Whether an event is still on the active path, as far as the host's own list tells. */
function isActive(database: OpenClawDatabase, id: string, seq: number): boolean {
  if (seq === BEFORE_ALL || !isProjected(database, id)) return true;
  const row = database.row(
    'SELECT 1 AS found FROM session_transcript_active_events WHERE session_id = ?1 AND event_seq = ?2',
    id,
    seq,
  );
  return row !== undefined;
}
