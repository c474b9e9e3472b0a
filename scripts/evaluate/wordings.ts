import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentChatRow, readGzippedRows } from '../train/rows.ts';

/**
 * Real wordings of messages that go on from the one before ("yes, do it") and of openings before a question ("ok cool."),
 * known by their place in the data (`follow-ups.txt`). Half of them are held out whenever anything is tuned.
 */
export interface Wordings {
  followUps: string[];
  leadIns: string[];
}

/** Ids under `[followUps dev]` and the like, a lead-in with the number of its characters. */
const LISTED = new Map(
  readFileSync(new URL('follow-ups.txt', import.meta.url), 'utf8')
    .split(/^\[(?=\w+ \w+\]$)/m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf(']')), part.trim().split(/\s+/).slice(2)]),
);

/** The ids of all these messages, to keep what is measured with them out of the statistics. */
export const MEASURED: ReadonlySet<string> = new Set(
  [...LISTED.values()].flat().map((entry) => entry.replace(/:.*/, '')),
);

/** What a person typed to a coding agent, by the id of the message. */
export function listTypedMessages(data: string): Map<string, string> {
  const out = new Map<string, string>();
  const labelled = readGzippedRows<AgentChatRow>(join(data, 'agent-chat/dev.jsonl.gz'));
  for (const { id, text } of labelled) out.set(id, text);
  const sessions = join(data, 'resume/sessions');
  for (const name of readdirSync(sessions)) {
    for (const { type, uuid, isMeta, message } of readGzippedRows<TranscriptLine>(join(sessions, name))) {
      const content = message?.content;
      if (type !== 'user' || uuid === undefined || isMeta === true || content === undefined) continue;
      const parts = typeof content === 'string' ? [content] : content.map(({ text = '' }) => text);
      const text = parts.join('\n').trim();
      // Commands, reminders and output of the host are in tags.
      if (text !== '' && !/^(?:<|\[Request interrupted)/.test(text)) out.set(uuid, text);
    }
  }
  return out;
}

interface TranscriptLine {
  type?: string;
  uuid?: string;
  isMeta?: boolean;
  message?: { content?: string | { text?: string }[] };
}

/** The wordings of one half, `dev` or `unseen`. */
export function readWordings(data: string, half: string): Wordings {
  if (!LISTED.has(`followUps ${half}`)) throw new Error(`expected dev or unseen, found ${half}`);

  const typed = listTypedMessages(data);
  const listWordings = (kind: string): string[] =>
    (LISTED.get(`${kind} ${half}`) ?? []).map((entry) => {
      const [id = '', characters] = entry.split(':');
      const text = typed.get(id);
      if (text === undefined) throw new Error(`no message ${id} in ${data}`);
      return text
        .trim()
        .replace(/\s+/g, ' ')
        .slice(0, characters === undefined ? undefined : Number(characters));
    });
  return { followUps: listWordings('followUps'), leadIns: listWordings('leadIns') };
}
