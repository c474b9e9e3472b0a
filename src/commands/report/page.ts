import { createHash } from 'node:crypto';
import { counted, thousands } from '../../base/text/strings.ts';
import { outlook, stepsOf } from '../../pad/steps.ts';
import type { ReportData, TimelineEvent } from './collect.ts';
import { STYLE } from './style.ts';

/** How the page shows times. */
export interface PageTimes {
  /** The name of the time zone. */
  zone: string;
  /** A time of it, to the second; from ISO 8601. */
  spell(at: string): string;
}

const UTC: PageTimes = { zone: 'UTC', spell: (at) => at.slice(0, 19).replace('T', ' ') };

/**
 * Renders the report as one self-contained HTML page: its policy forbids all requests, scripts, forms, and styles
 * other than its own. All texts are escaped.
 */
export function renderPage(data: ReportData, times: PageTimes = UTC): string {
  const style = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
  const policy = `default-src 'none'; style-src ${style}; base-uri 'none'; form-action 'none'`;
  const all: readonly (readonly [id: string, title: string, body: string])[] = [
    ['plan', 'Plan', planPart(data, times)],
    ['notes', 'Notes', preformatted(data.notes)],
    ['refs', 'References', refsPart(data)],
    ['timeline', 'Timeline', timelinePart(data, times)],
    ['handover', 'What the next session is told', handoverPart(data, times)],
    ['told', 'What the model was told', toldPart(data, times)],
    ['state', 'The current state', statePart(data)],
    ['saved', 'Long outputs, kept outside the conversation', entriesPart(data)],
  ];
  // No heading over nothing.
  const parts = all.filter(([, , body]) => body !== '');
  const title = asText(`Session report: ${data.workspace.split(/[\\/]/).at(-1) ?? ''}`);
  const made = `made ${times.spell(data.made)}, times in ${times.zone}`;
  const about = [`Session ${data.session}`, data.workspace, made, ...(data.source ? [data.source] : [])];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="lead">${asText(inASentence(data, times))}</p>
<p class="soft">${asText(about.join(' · '))}</p>
<nav aria-label="Parts of this page"><ul>${parts.map(([id, name]) => `<li><a href="#${id}">${asText(name)}</a></li>`).join('')}</ul></nav>
</header>
<main>
${parts.map(([id, name, body]) => `<section aria-labelledby="${id}"><h2 id="${id}">${asText(name)}</h2>\n${body}</section>`).join('\n')}
</main>
</body>
</html>
`;
}

function asText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const MARKED = /`([^`]+)`|\*\*(?=\S)([^*]*[^*\s])\*\*|~~(?=\S)([^~]*[^~\s])~~/g;

/** A text with its code, bold and struck-out words as elements; all else of it is escaped. */
function marked(text: string): string {
  let at = 0;
  let html = '';
  for (const { 0: whole, 1: code, 2: bold, 3: struck, index } of text.matchAll(MARKED)) {
    html += asText(text.slice(at, index));
    if (code !== undefined) html += `<code>${asText(code)}</code>`;
    else if (bold !== undefined) html += `<strong>${marked(bold)}</strong>`;
    else html += `<s>${marked(struck ?? '')}</s>`;
    at = index + whole.length;
  }
  return html + asText(text.slice(at));
}

const preformatted = (text: string): string => (text.trim() === '' ? '' : `<pre>${marked(text)}</pre>`);
const soft = (text: string): string => `<p class="soft">${asText(text)}</p>`;

/** A cell, with the name of its class. */
type Cell = readonly [text: string, name?: string];

/** A table; nothing without rows. */
function table(caption: string, heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return '';
  const head = heads.map((name) => `<th scope="col">${asText(name)}</th>`).join('');
  const body = rows.map((cells) => {
    const html = cells.map(([text, name]) => `<td${name ? ` class="${name}"` : ''}>${marked(text)}</td>`);
    return `<tr>${html.join('')}</tr>`;
  });
  return `<div class="wide" tabindex="0" role="region" aria-label="${asText(caption)}"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** What happened, for somebody who reads nothing else. */
function inASentence({ events, plan, notes, refs }: ReportData, { spell }: PageTimes): string {
  const [first, last] = [events.find(({ at }) => at), events.findLast(({ at }) => at)].map((event) =>
    event?.at === undefined ? undefined : spell(event.at).slice(0, 16),
  );
  const count = (kind: TimelineEvent['who']): number => events.filter(({ who }) => who === kind).length;
  const until = last?.slice(0, 10) === first?.slice(0, 10) ? last?.slice(11) : last;
  const when = first === undefined ? '' : `${first} to ${until}: `;
  const happened =
    events.length === 0
      ? 'No session of an agent was found here.'
      : `${when}${counted(count('person'), 'message')} of the person, ${counted(count('agent'), 'answer')} of the agent, ${counted(count('tool'), 'line')} of tools (calls and results).`;
  const steps = stepsOf(plan);
  const done = steps.filter((step) => step.done).length;
  const plans =
    steps.length === 0
      ? 'There is no plan.'
      : `${done} of ${counted(steps.length, 'step')} done, ${outlook(steps)}.`;
  const lines = notes.split('\n').filter((line) => line.trim() !== '').length;
  const kept =
    lines + refs.length === 0
      ? 'No note and no reference is kept.'
      : `Kept: ${counted(lines, 'line')} of notes and ${counted(refs.length, 'reference')}.`;
  return `${happened} ${plans} ${kept}`;
}

function refsPart({ refs }: ReportData): string {
  const items = refs.map((ref) =>
    /^https?:\/\//.test(ref)
      ? `<li><a href="${asText(ref)}" rel="noreferrer">${asText(ref)}</a></li>`
      : `<li>${marked(ref)}</li>`,
  );
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

function planPart({ plan, planMoments }: ReportData, { spell }: PageTimes): string {
  const rows = planMoments.map(({ at, by, done, steps, words }): Cell[] => [
    [spell(at), 'time'],
    [by],
    [`${done} of ${steps}`, 'number'],
    [words],
  ]);
  const changes = table('Changes of the plan', ['When', 'Who', 'Steps done', 'What changed'], rows);
  return `${preformatted(plan)}${changes === '' ? '' : `\n<h3>How it changed</h3>\n${changes}`}`;
}

function statePart({ sections }: ReportData): string {
  return sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => {
      const rows = lines.map(({ text, why = '' }): Cell[] => [[text], [why]]);
      return `<h3>${asText(title)}</h3>${table(title, ['Line', 'Where it comes from'], rows)}`;
    })
    .join('\n');
}

function toldPart({ told, toldTokens, heldAt, heldBack }: ReportData, { spell }: PageTimes): string {
  const rows = told.map(({ at, text }): Cell[] => [[spell(at), 'time'], [text]]);
  const said = table('What hooks told the model', ['When', 'What'], rows);
  const cost = toldTokens > 0 ? soft(`About ${thousands(toldTokens)} tokens in all.`) : '';
  const held = heldBack.map(({ text, reason }): Cell[] => [[text], [reason]]);
  const notSaid = table('What was not told', ['What', 'Why not'], held);
  const when = heldAt === undefined ? 'the last time' : `at ${asText(spell(heldAt))}`;
  return `${cost}${said}${notSaid === '' ? '' : `<h3>Not told ${when}</h3>${notSaid}`}`;
}

function handoverPart({ handover, said }: ReportData, { spell }: PageTimes): string {
  const line = handover === '' ? '' : `<p>${asText(handover)}</p>`;
  if (said.length === 0) return line;
  const rows = said.map(({ at, text, told }): Cell[] => [
    [at === undefined ? '' : spell(at), 'time'],
    [text],
    [told ? 'yes' : 'no'],
  ]);
  const how =
    'If its first prompt goes on with this work, it is told these messages of the person, except where it says no.';
  return `${line}${soft(how)}${table("The person's messages", ['When', 'Message', 'Told'], rows)}`;
}

function entriesPart({ entries }: ReportData): string {
  const rows = entries.map(({ name, characters, origin }): Cell[] => [
    [name],
    [thousands(characters), 'number'],
    [origin],
  ]);
  return table('Entries', ['Entry', 'Characters', 'From'], rows);
}

/** The newest events: a browser searches in so many at once, and a session may have a hundred thousand. */
const EVENTS_SHOWN = 1000;

function timelinePart({ events }: ReportData, { spell }: PageTimes): string {
  const rows = events
    .slice(-EVENTS_SHOWN)
    .map(({ at, who, name, text }): Cell[] => [
      [at === undefined ? '' : spell(at), 'time'],
      [name ? `${who} · ${name}` : who, who],
      [text],
    ]);
  const cut = `The newest ${thousands(rows.length)} of ${thousands(events.length)}.`;
  const shown = table('Events', ['When', 'Who', 'What'], rows);
  if (shown === '') return '';
  return `${events.length > rows.length ? soft(cut) : ''}<div class="tall">${shown}</div>`;
}
