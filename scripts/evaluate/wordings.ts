/**
 * Real wordings of messages that go on from the one before ("yes, do it") and of openings before a question ("ok cool."),
 * identified by their place in the data (`follow-ups.json`). Half of them are held out whenever anything is tuned.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Wordings {
  followUps: string[];
  leadIns: string[];
}

interface Listed {
  followUps: Record<'dev' | 'unseen', string[]>;
  leadIns: Record<'dev' | 'unseen', [id: string, characters: number][]>;
}

const listed = JSON.parse(readFileSync(new URL('follow-ups.json', import.meta.url), 'utf8')) as Listed;

/** The ids of all these messages, to keep what is measured with them out of the statistics. */
export const MEASURED: ReadonlySet<string> = new Set(
  (['dev', 'unseen'] as const).flatMap((half) => [
    ...listed.followUps[half],
    ...listed.leadIns[half].map(([id]) => id),
  ]),
);

/** A message of a person to a coding agent. */
export interface Typed {
  id: string;
  text: string;
  /** The repository that publishes it. */
  repo: string;
  /** When it was typed, ISO 8601; empty where that is not known. */
  time: string;
}

/** The objects of a gzipped file of JSON lines, without the torn lines that a few transcripts contain. */
export function rowsOf(path: string): unknown[] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
}

interface TranscriptLine {
  type?: string;
  uuid?: string;
  timestamp?: string;
  isMeta?: boolean;
  message?: { content?: string | { type: string; text?: string }[] };
}

/** What people typed, by id, in both sets: `DATA/agent-chat` and `DATA/resume`. */
export function typedMessages(data: string): Map<string, Typed> {
  const out = new Map<string, Typed>();
  for (const row of rowsOf(join(data, 'agent-chat/dev.jsonl.gz')) as Typed[])
    out.set(row.id, { id: row.id, text: row.text, repo: row.repo, time: '' });
  const sessions = join(data, 'resume/sessions');
  for (const name of readdirSync(sessions)) {
    for (const { type, uuid, timestamp = '', isMeta, message } of rowsOf(
      join(sessions, name),
    ) as TranscriptLine[]) {
      const content = message?.content;
      if (type !== 'user' || uuid === undefined || isMeta === true || content === undefined) continue;
      const text =
        typeof content === 'string'
          ? content
          : content
              .map((part) => part.text ?? '')
              .join('\n')
              .trim();
      // Commands, reminders and output of the host are in tags.
      if (text === '' || text.startsWith('<') || text.startsWith('[Request interrupted')) continue;
      out.set(uuid, { id: uuid, text, repo: 'entireio/cli', time: timestamp });
    }
  }
  return out;
}

/** The wordings of one half. */
export function wordingsOf(data: string, half: 'dev' | 'unseen'): Wordings {
  const typed = typedMessages(data);
  const textOf = (id: string): string => {
    const found = typed.get(id);
    if (found === undefined) throw new Error(`no message ${id} in ${data}`);
    return found.text.trim().replace(/\s+/g, ' ');
  };
  return {
    followUps: listed.followUps[half].map(textOf),
    leadIns: listed.leadIns[half].map(([id, characters]) => textOf(id).slice(0, characters)),
  };
}
