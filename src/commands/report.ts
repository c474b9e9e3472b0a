import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readSource } from '../assembly/source.ts';
import { usageError } from '../base/errors.ts';
import { ensureFolder, tryStat, writeAtomically } from '../base/fs/index.ts';
import { redactSecrets, stripInvisible } from '../base/safety/index.ts';
import { formatCount, formatThousands, shorten } from '../base/text/strings.ts';
import { parseRefs } from '../pad/budget.ts';
import { parseSteps, renderOutlook } from '../pad/steps.ts';
import { readTranscriptFile } from '../transcript/read.ts';
import type { Compaction, Message } from '../transcript/types.ts';
import { defineCommand } from './command.ts';
import { type Invocation, resolveFile, write } from './invocation.ts';
import { needPad, type OpenPad, openKnown } from './open.ts';
import { makeTimeFormatter } from './print.ts';

export const report = defineCommand({
  takes: {
    '-o, --output <file>': 'the file to write, - for stdout (default .scratchpad/report.html)',
    '-t, --transcript <file>': "a host's session file; the most recently active session unless given",
  },
  examples: ['scratchpad report', 'scratchpad report --output session.html'],
  run: async (call, { output, transcript }) => {
    const opened = await openKnown(call);
    const page = await readPage(call, opened, transcript);
    const html = renderPage(page);

    if (output === '-') return write(1, html);

    const { data } = opened.store.paths;
    const file = output === undefined ? join(data, 'report.html') : resolveFile(output, call);

    if (tryStat(file)?.isDirectory())
      throw usageError('the page needs the name of a file', {
        found: `the directory ${file}`,
        next: `give a file name: scratchpad report -o ${join(output ?? file, 'report.html')}`,
      });

    if (output === undefined) ensureFolder(data);
    writeAtomically(file, html);
    const { length } = page.events;
    call.result({ file, bytes: Buffer.byteLength(html), events: length }, file);
    const found = length === 0 ? 'no session of an agent was found' : formatCount(length, 'event');
    call.note(`${found}; open the page in a browser; it needs no network`);
  },
});

/** Everything that the page shows; all texts without secrets. */
export interface Page {
  workspace: string;
  /** The session, the workspace, the time and the host's session. */
  about: readonly string[];
  /** ISO 8601, UTC, as a time of the person, to the second. */
  spell(at: string): string;
  events: readonly TimelineEvent[];
  plan: string;
  notes: string;
  refs: readonly string[];
}

/** One event of the session: a message, the output of a tool, or a compaction. */
interface TimelineEvent {
  /** ISO 8601, UTC; absent if the host does not record it. */
  at?: string;
  who: 'person' | 'agent' | 'tool' | 'system';
  /** The tool, or the speaker in a group chat. */
  name?: string;
  text: string;
}

async function readPage(call: Invocation, opened: OpenPad, transcript: string | undefined): Promise<Page> {
  const { pad, store, config, workspace } = opened;
  const { exists, spaces } = await pad.store.read();
  needPad(exists, opened);
  const given = transcript === undefined ? {} : { transcript: resolveFile(transcript, call) };
  const warn = (problem: string): void => call.note(`warning: ${problem}`);
  const source = await readSource(given, workspace.root, config, call.env, warn);
  const all = { limit: Number.POSITIVE_INFINITY };
  const read = source?.path === undefined ? undefined : await readTranscriptFile(source.path, all);
  const local = makeTimeFormatter(config);
  // Zones differ by whole minutes.
  const formatTime = (at: string): string => `${local(at)}:${at.slice(17, 19)}`;
  const zone = config.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Pages are shared, and the account's name is private.
  const { HOME = '' } = call.env;
  const fromHome = (text: string): string => (HOME === '' ? text : text.replaceAll(`${HOME}/`, '~/'));
  const root = fromHome(workspace.root);
  const made = `made ${formatTime(new Date(pad.now()).toISOString())}, times in ${zone}`;

  return {
    workspace: root,
    about: [`Session ${store.paths.session}`, root, made, toSafeLine(fromHome(source?.name ?? ''))],
    spell: formatTime,
    events: listEvents(read?.messages ?? [], read?.facts.compactions ?? []),
    plan: redactSecrets(stripInvisible(spaces.plan)),
    notes: redactSecrets(stripInvisible(spaces.notes)),
    refs: parseRefs(spaces.refs).map((ref) => toSafeLine(ref)),
  };
}

const WHO = { user: 'person', assistant: 'agent', tool: 'tool', system: 'system' } as const;
/** Most characters of an event to show. */
const SHOWN = 400;

/** The messages, and between them the compactions of a known time. */
function listEvents(messages: readonly Message[], compactions: readonly Compaction[]): TimelineEvent[] {
  const events = messages.map(({ role, content, sender, tool, timestamp }): TimelineEvent => {
    const name = role === 'tool' ? tool : sender;
    // A secret may cross the cut, so more text than is shown is redacted.
    const text = toSafeLine(content.slice(0, SHOWN * 4), SHOWN);
    return { at: timestamp, who: WHO[role], name: name && toSafeLine(name, 80), text };
  });

  for (const { timestamp, summary } of compactions) {
    const time = Date.parse(timestamp ?? '');
    if (timestamp === undefined || Number.isNaN(time)) continue;
    const text = `context compacted${summary === undefined ? '' : `; the summary: ${summary.slice(0, SHOWN * 4)}`}`;
    const after = events.findLastIndex(({ at }) => at !== undefined && Date.parse(at) <= time);
    events.splice(after + 1, 0, { at: timestamp, who: 'system', text: toSafeLine(text, SHOWN) });
  }

  return events;
}

/** A text on one line, without secrets and invisible characters; the page escapes it. */
function toSafeLine(text: string, most = Number.POSITIVE_INFINITY): string {
  return shorten(redactSecrets(stripInvisible(text)).replace(/\s+/g, ' ').trim(), most);
}

/** The page's own colours for light and dark, system fonts, nothing loaded. */
const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--card:#f6f8fa;--line:#d0d7de;--mark:#0550ae}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--paper:#0d1117;--card:#161b22;--line:#30363d;--mark:#79c0ff}}
body{margin:0 auto;max-width:68rem;padding:1rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2rem}.lead{font-size:1.1rem}.soft,.time{color:var(--soft)}
a,.person{color:var(--mark)}
pre,.wide{background:var(--card);border:1px solid var(--line);border-radius:8px;overflow-wrap:anywhere;margin:0}
pre{padding:.75rem .9rem;white-space:pre-wrap}.wide{overflow:auto;max-height:36rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-top:1px solid var(--line)}
@media(min-width:600px){.time{white-space:nowrap}}@media print{.wide{max-height:none}}
`;

/** One self-contained HTML page: its policy forbids all requests, scripts, forms, and other styles. */
export function renderPage(page: Page): string {
  const style = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
  const policy = `default-src 'none'; style-src ${style}; base-uri 'none'; form-action 'none'`;
  const title = escapeText(`Session report: ${page.workspace.split(/[\\/]/).at(-1) ?? ''}`);
  const renderSection = (name: string, html: string): string =>
    `<section><h2>${name}</h2>\n${html}</section>\n`;
  // No heading over nothing.
  const renderText = (name: string, shown: string): string =>
    shown.trim() === '' ? '' : renderSection(name, `<pre>${linkPaths(shown)}</pre>`);

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="lead">${escapeText(summarizePage(page))}</p>
<p class="soft">${escapeText(page.about.filter((fact) => fact !== '').join(' · '))}</p>
${renderText('Plan', page.plan)}${renderText('Notes', page.notes)}${renderText('References', page.refs.join('\n'))}${
  page.events.length === 0 ? '' : renderSection('Timeline', renderTimeline(page))
}</main>
</body>
</html>
`;
}

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const linkPaths = (text: string): string =>
  escapeText(text).replace(/\bhttps?:\/\/\S+/g, (url) => `<a href="${url}" rel="noreferrer">${url}</a>`);

/** What happened, for somebody who reads nothing else. */
function summarizePage({ events, plan, notes, refs, spell }: Page): string {
  const times = events.flatMap(({ at }) => (at === undefined ? [] : spell(at).slice(0, 16)));
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const when =
    first === '' ? '' : `${first} to ${last.startsWith(first.slice(0, 10)) ? last.slice(11) : last}: `;
  const count = (kind: TimelineEvent['who']): number => events.filter(({ who }) => who === kind).length;
  const happened =
    events.length === 0
      ? 'No session of an agent was found here.'
      : `${when}${formatCount(count('person'), 'message')} of the person, ${formatCount(count('agent'), 'answer')} of the agent, ${formatCount(count('tool'), 'line')} of tools (calls and results).`;
  const steps = parseSteps(plan);
  const done = steps.filter((step) => step.done).length;
  const plans =
    steps.length === 0
      ? 'There is no plan.'
      : `${done} of ${formatCount(steps.length, 'step')} done, ${renderOutlook(steps)}.`;
  const lines = notes.split('\n').filter((line) => line.trim() !== '').length;
  const kept =
    lines + refs.length === 0
      ? 'No note and no reference is kept.'
      : `Kept: ${formatCount(lines, 'line')} of notes and ${formatCount(refs.length, 'reference')}.`;

  return `${happened} ${plans} ${kept}`;
}

/** The newest events: a browser searches in so many at once, and a session may have a hundred thousand. */
const EVENTS_SHOWN = 1000;

function renderTimeline({ events, spell }: Page): string {
  const rows = events.slice(-EVENTS_SHOWN).map(({ at, who, name, text }) => {
    const speaker = name ? `${who} · ${name}` : who;
    return `<tr><td class="time">${at === undefined ? '' : spell(at)}</td><td class="${who}">${escapeText(speaker)}</td><td>${escapeText(text)}</td></tr>`;
  });
  const cut = `<p class="soft">The newest ${formatThousands(rows.length)} of ${formatThousands(events.length)}.</p>`;
  const heads = '<tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th></tr>';

  return `${events.length > rows.length ? cut : ''}<div class="wide" tabindex="0" role="region" aria-label="Events"><table><thead>${heads}</thead><tbody>${rows.join('')}</tbody></table></div>`;
}
