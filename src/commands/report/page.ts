import { createHash } from 'node:crypto';
import { NOTHING_TO_SAY } from '../../assembly/assemble.ts';
import { counted, thousands } from '../../base/text/counts.ts';
import { describeUsage } from '../../pad/budget.ts';
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
  const policy = `default-src 'none'; style-src ${hashOf(STYLE)}; base-uri 'none'; form-action 'none'`;
  const all: readonly (readonly [id: string, title: string, body: string])[] = [
    ['plan', 'Plan', planPart(data, times)],
    ['notes', 'Notes', data.notes.trim() === '' ? '' : `<pre>${marked(data.notes)}</pre>`],
    ['refs', 'References', refsPart(data)],
    ['timeline', 'Timeline', timelinePart(data, times)],
    ['handover', 'What the next session is told', handoverPart(data, times)],
    ['told', 'What the model was told', toldPart(data, times)],
    ['state', 'The current state', statePart(data)],
    ['saved', 'Long outputs, kept outside the conversation', entriesPart(data)],
    ['sizes', 'Sizes and limits', sizesPart(data)],
  ];
  // No heading over nothing.
  const parts = all.filter(([, , body]) => body !== '');
  const title = `Session report: ${data.workspace.split(/[\\/]/).at(-1) ?? ''}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${asText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${asText(title)}</h1>
<p class="lead">${asText(inASentence(data, times))}</p>
<p class="soft">Session ${asText(data.session)} · ${asText(data.workspace)} · made ${asText(times.spell(data.made))}, times in ${asText(times.zone)}${data.source === undefined ? '' : ` · ${asText(data.source)}`}</p>
<nav aria-label="Parts of this page"><ul>${parts.map(([id, name]) => `<li><a href="#${id}">${asText(name)}</a></li>`).join('')}</ul></nav>
</header>
<main>
${parts.map(([id, name, body]) => `<section aria-labelledby="${id}"><h2 id="${id}">${asText(name)}</h2>\n${body}</section>`).join('\n')}
</main>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
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

function table(caption: string, heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((name) => `<th scope="col">${asText(name)}</th>`).join('');
  return `<div class="wide" tabindex="0" role="region" aria-label="${asText(caption)}"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function row(...cells: readonly (readonly [text: string, name?: string])[]): string {
  return `<tr>${cells.map(([text, name]) => `<td${name ? ` class="${name}"` : ''}>${marked(text)}</td>`).join('')}</tr>`;
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
      : `${when}${counted(count('person'), 'message')} of the person, ${counted(count('agent'), 'answer')} of the agent, ${counted(count('tool'), 'tool result')}.`;
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

function sizesPart({ usage, state, entries, toldTokens, events }: ReportData): string {
  const saved = entries.reduce((sum, entry) => sum + entry.savedTokens, 0);
  const meters = [
    ...usage.map((each) => ({
      name: `${each.space[0]?.toUpperCase()}${each.space.slice(1)}`,
      about: describeUsage(each).replace(/^\w+: /, ''),
      of: [each.used, each.limit] as const,
    })),
    {
      name: 'State block',
      about: `${thousands(state.tokens)} of ${thousands(state.maxTokens)} tokens`,
      of: [state.tokens, state.maxTokens] as const,
    },
  ].map(
    ({ name, about, of: [used, limit] }) =>
      `<strong>${name}</strong><meter aria-label="${name}" min="0" max="${limit}" value="${used}"></meter><span class="soft">${asText(about)}</span>`,
  );
  const figures = (
    [
      [toldTokens, 'tokens (estimated) told to the model in its current window'],
      [saved, 'tokens (estimated) saved by keeping long outputs as entries'],
      [events.length, 'events in the session'],
    ] as const
  )
    .filter(([figure]) => figure > 0)
    .map(([figure, about]) => `<strong>${thousands(figure)}</strong><span class="soft">${about}</span>`);
  return `<div class="cards">${[...meters, ...figures].map((card) => `<div class="card">${card}</div>`).join('')}</div>`;
}

function planPart({ plan, planMoments }: ReportData, { spell }: PageTimes): string {
  const now = plan.trim() === '' ? '' : `<pre>${marked(plan)}</pre>`;
  if (planMoments.length === 0) return now;
  return `${now}
<h3>How it changed</h3>
${table(
  'Changes of the plan',
  ['When', 'Who', 'Steps done', 'What changed'],
  planMoments.map(({ at, by, done, steps, words }) =>
    row([spell(at), 'time'], [by], [`${done} of ${steps}`, 'number'], [words]),
  ),
)}`;
}

function statePart({ sections }: ReportData): string {
  const shown = sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => {
      const rows = lines.map(({ text, why }) => row([text], [why ?? '']));
      return `<h3>${asText(title)}</h3>${table(title, ['Line', 'Where it comes from'], rows)}`;
    });
  const empty = sections.flatMap(({ title, lines, reason }) =>
    lines.length === 0 && reason !== undefined && reason !== NOTHING_TO_SAY ? [`${title}: ${reason}`] : [],
  );
  if (empty.length > 0) shown.push(`<p class="soft">Left out: ${asText(empty.join('; '))}</p>`);
  return shown.join('\n');
}

function toldPart({ told, heldAt, heldBack }: ReportData, { spell }: PageTimes): string {
  const rowsTold = told.map(({ at, text }) => row([spell(at), 'time'], [text]));
  const said = told.length === 0 ? '' : table('What hooks told the model', ['When', 'What'], rowsTold);
  if (heldBack.length === 0) return said;
  const rows = heldBack.map(({ text, reason }) => row([text], [reason]));
  return `${said}<h3>Not told ${heldAt === undefined ? 'the last time' : `at ${asText(spell(heldAt))}`}</h3>${table('What was not told', ['What', 'Why not'], rows)}`;
}

function handoverPart({ handover, said }: ReportData, { spell }: PageTimes): string {
  const line = handover === '' ? '' : `<p>${asText(handover)}</p>`;
  if (said.length === 0) return line;
  const rows = said.map(({ at, text, told }) =>
    row([at === undefined ? '' : spell(at), 'time'], [text], [told ? 'yes' : 'no']),
  );
  const how =
    'If its first prompt goes on with this work, it is told these messages of the person, except where it says no.';
  return `${line}<p class="soft">${how}</p>${table("The person's messages", ['When', 'Message', 'Told'], rows)}`;
}

function entriesPart({ entries }: ReportData): string {
  if (entries.length === 0) return '';
  return table(
    'Entries',
    ['Entry', 'Characters', 'Tokens saved (estimated)', 'From'],
    entries.map(({ name, characters, savedTokens, origin }) =>
      row([name], [thousands(characters), 'number'], [thousands(savedTokens), 'number'], [origin]),
    ),
  );
}

/** The newest events: a browser searches in so many at once, and a session may have a hundred thousand. */
const EVENTS_SHOWN = 1000;

function timelinePart({ events }: ReportData, times: PageTimes): string {
  if (events.length === 0) return '';
  const rows = events
    .slice(-EVENTS_SHOWN)
    .map(({ at, who, name, text }) =>
      row([at === undefined ? '' : times.spell(at), 'time'], [name ? `${who} · ${name}` : who, who], [text]),
    );
  const left = events.length - rows.length;
  const cut =
    left > 0
      ? `<p class="soft">The newest ${thousands(rows.length)} of ${thousands(events.length)}.</p>`
      : '';
  return `${density(events, times)}${cut}<div class="tall">${table('Events', ['When', 'Who', 'What'], rows)}</div>`;
}

const BINS = 120;

/** The number of events over the time of the session. */
function density(events: readonly TimelineEvent[], { spell }: PageTimes): string {
  const times = events.map(({ at }) => Date.parse(at ?? '')).filter((time) => !Number.isNaN(time));
  let [from, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) [from, until] = [Math.min(from, time), Math.max(until, time)];
  if (times.length < 2 || from === until) return '';
  const bins = new Array<number>(BINS).fill(0);
  for (const time of times) {
    const bin = Math.min(BINS - 1, Math.floor(((time - from) / (until - from)) * BINS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const most = Math.max(...bins);
  const bars = bins.map((count, k) => {
    const height = (count / most) * 60;
    return `<rect class="bar" x="${k * 5}" y="${(60 - height).toFixed(2)}" width="4" height="${height.toFixed(2)}"/>`;
  });
  const [first, middle, last] = [from, (from + until) / 2, until].map((time) =>
    asText(spell(new Date(time).toISOString()).slice(0, 16)),
  );
  const each = Math.max(1, Math.round((until - from) / BINS / 1000));
  const span = each < 120 ? counted(each, 'second') : counted(Math.round(each / 60), 'minute');
  const label = `Events over time, from ${first} to ${last}`;
  return `<p class="soft">Messages and tool results, a bar for each ${span}; the highest is ${thousands(most)}.</p>
<svg viewBox="0 0 600 60" role="img" aria-label="${label}">${bars.join('')}</svg>
<p class="axis"><span>${first}</span><span>${middle}</span><span>${last}</span></p>`;
}
