import { createHash } from 'node:crypto';
import { thousands } from '../../base/text/counts.ts';
import { describeUsage } from '../../pad/budget.ts';
import type { PlanMoment, ReportData, TimelineEvent } from './data.ts';
import { SCRIPT } from './script.ts';
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
 * Renders the report as one self-contained HTML page: its policy forbids all requests, all scripts and styles
 * except its own two, and forms. All texts are escaped.
 */
export function renderPage(data: ReportData, times: PageTimes = UTC): string {
  const policy = `default-src 'none'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(STYLE)}; base-uri 'none'; form-action 'none'`;
  const parts: readonly (readonly [id: string, title: string, body: string])[] = [
    ['plan', 'Plan', planPart(data, times)],
    ['state', 'Mood, strategy and the rest of the current state', statePart(data)],
    ['told', 'What the model was told', toldPart(data, times)],
    ['handover', 'What a next session is told', handoverPart(data, times)],
    ['saved', 'Stored outside the conversation', entriesPart(data)],
    ['timeline', 'Timeline', timelinePart(data, times)],
  ];
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
<p class="soft">Session ${asText(data.session)} · ${asText(data.workspace)} · made ${asText(times.spell(data.made))}, times in ${asText(times.zone)}${data.source === undefined ? '' : ` · ${asText(data.source)}`}</p>
<nav aria-label="Parts of this page"><ul>${parts.map(([id, name]) => `<li><a href="#${id}">${asText(name)}</a></li>`).join('')}</ul></nav>
</header>
<main>
${budgetPart(data)}
${parts.map(([id, name, body]) => `<section aria-labelledby="${id}"><h2 id="${id}">${asText(name)}</h2>\n${body}</section>`).join('\n')}
</main>
<script id="events" type="application/json">${eventsJson(data.events, times)}</script>
<script>${SCRIPT}</script>
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

function none(what: string): string {
  return `<p class="soft">${asText(what)}</p>`;
}

function table(caption: string, heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((name) => `<th scope="col">${asText(name)}</th>`).join('');
  return `<div class="wide" tabindex="0" role="region" aria-label="${asText(caption)}"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function row(...cells: readonly (readonly [text: string, name?: string])[]): string {
  return `<tr>${cells.map(([text, name]) => `<td${name ? ` class="${name}"` : ''}>${marked(text)}</td>`).join('')}</tr>`;
}

function budgetPart({ usage, state, entries, toldTokens, events }: ReportData): string {
  const saved = entries.reduce((sum, entry) => sum + entry.savedTokens, 0);
  const cards = [
    ...usage.map((each) => ({
      about: describeUsage(each).replace(/^\w+: /, ''),
      figure: `${each.space[0]?.toUpperCase()}${each.space.slice(1)}`,
      meter: [each.used, each.limit] as const,
    })),
    {
      figure: 'State block',
      about: `${thousands(state.tokens)} of ${thousands(state.maxTokens)} tokens`,
      meter: [state.tokens, state.maxTokens] as const,
    },
    {
      figure: thousands(toldTokens),
      about: 'tokens (estimated) told to the model in its current window',
      meter: undefined,
    },
    {
      figure: thousands(saved),
      about: 'tokens (estimated) saved by keeping long outputs as entries',
      meter: undefined,
    },
    { figure: thousands(events.length), about: 'events in the session', meter: undefined },
  ];
  return `<section aria-label="Budgets" class="cards">${cards
    .map(({ figure, about, meter }) => {
      const bar =
        meter === undefined
          ? ''
          : `<meter aria-label="${asText(figure)}" min="0" max="${meter[1]}" value="${meter[0]}"></meter>`;
      return `<div class="card"><strong>${asText(figure)}</strong>${bar}<span class="soft">${asText(about)}</span></div>`;
    })
    .join('')}</section>`;
}

function planPart({ plan, planMoments }: ReportData, { spell }: PageTimes): string {
  const now = plan.trim() === '' ? none('The plan is empty.') : `<pre>${marked(plan)}</pre>`;
  if (planMoments.length === 0) return now;
  return `${now}
<h3>Over time</h3>
${planChart(planMoments)}
${table(
  'Changes of the plan',
  ['When', 'Who', 'Done', 'Change'],
  planMoments.map(({ at, by, done, steps, words }) =>
    row([spell(at), 'time'], [by], [`${done} of ${steps}`, 'number'], [words]),
  ),
)}`;
}

/** One column per change: the number of steps, and of finished ones. */
function planChart(moments: readonly PlanMoment[]): string {
  const shown = moments.slice(-120);
  const most = Math.max(1, ...shown.map(({ steps }) => steps));
  const width = Math.min(24, 600 / shown.length);
  const columns = shown.map(({ steps, done }, k) => {
    const [all, part] = [steps, done].map((count) => (count / most) * 80) as [number, number];
    const x = (k * width).toFixed(2);
    const wide = Math.max(0.5, width - 2).toFixed(2);
    return `<rect class="rest" x="${x}" y="${(80 - all).toFixed(2)}" width="${wide}" height="${all.toFixed(2)}"/><rect class="area" x="${x}" y="${(80 - part).toFixed(2)}" width="${wide}" height="${part.toFixed(2)}"/>`;
  });
  const last = shown.at(-1);
  const label = `Steps of the plan after each of its ${shown.length} changes; at the end ${last?.done} of ${last?.steps} are done`;
  return `<svg viewBox="0 0 600 80" role="img" aria-label="${asText(label)}">${columns.join('')}</svg>`;
}

function statePart({ sections }: ReportData): string {
  const told = sections.filter(({ lines, reason }) => lines.length > 0 || reason !== undefined);
  if (told.length === 0) return none('Nothing has been assembled.');
  return told
    .map(({ title, status, reason, lines }) => {
      const rows = lines.map(({ text, why }) => row([text], [why ?? '']));
      const about = `<p class="soft">${asText(reason === undefined ? status : `${status}: ${reason}`)}</p>`;
      return `<h3>${asText(title)}</h3>${status === 'ok' ? '' : about}${rows.length === 0 ? '' : table(title, ['Line', 'Because'], rows)}`;
    })
    .join('\n');
}

function toldPart({ told, heldAt, heldBack }: ReportData, { spell }: PageTimes): string {
  const said =
    told.length === 0
      ? none('No hook has told a model anything here yet.')
      : table(
          'What hooks told the model',
          ['When', 'What'],
          told.map(({ at, text }) => row([spell(at), 'time'], [text])),
        );
  if (heldBack.length === 0) return said;
  const rows = heldBack.map(({ text, reason }) => row([text], [reason]));
  return `${said}<h3>Held back at ${heldAt === undefined ? 'the last event' : `the event of ${asText(spell(heldAt))}`}</h3>${table('What was held back', ['What', 'Because'], rows)}`;
}

function handoverPart({ handover, said }: ReportData, { spell }: PageTimes): string {
  if (handover === '' && said.length === 0) return none('No session has left anything to tell.');
  const line = handover === '' ? '' : `<p>${asText(handover)}</p>`;
  if (said.length === 0) return line;
  const rows = said.map(({ at, text, told }) =>
    row([at === undefined ? '' : spell(at)], [text], [told ? 'if it goes on' : 'no']),
  );
  return `${line}${table("The person's messages", ['When', 'Message', 'Told'], rows)}`;
}

function entriesPart({ entries }: ReportData): string {
  if (entries.length === 0) return none('No output was long enough to be kept as an entry.');
  return table(
    'Entries',
    ['Entry', 'Characters', 'Tokens saved (estimated)', 'From'],
    entries.map(({ name, characters, savedTokens, origin }) =>
      row([name], [thousands(characters), 'number'], [thousands(savedTokens), 'number'], [origin]),
    ),
  );
}

function timelinePart({ events }: ReportData, times: PageTimes): string {
  if (events.length === 0) return `${none('No session of this workspace was found.')}${timelineTools(true)}`;
  return `${density(events, times)}${timelineTools(false)}`;
}

function timelineTools(hidden: boolean): string {
  return `<div${hidden ? ' hidden' : ''}><div class="tools">
<div><label for="who">Who</label><select id="who"><option value="">everybody</option><option value="p">person</option><option value="a">agent</option><option value="t">tools</option><option value="s">system</option></select></div>
<div><label for="find">Words</label><input id="find" type="search"></div>
<button id="older" type="button">Older</button><button id="newer" type="button">Newer</button>
<p id="shown" role="status" class="soft"></p></div>
<div class="wide" tabindex="0" role="region" aria-label="Events"><table><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th></tr></thead><tbody id="rows"></tbody></table></div></div>`;
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
  const [first, last] = [from, until].map((time) => asText(spell(new Date(time).toISOString()).slice(0, 16)));
  const label = `Events over time, from ${first} to ${last}`;
  return `<svg viewBox="0 0 600 60" role="img" aria-label="${label}">${bars.join('')}</svg><p class="soft">${first} to ${last}</p>`;
}

const LETTERS = { person: 'p', agent: 'a', tool: 't', system: 's' } as const;

/** The events as JSON for the script; a `<` in them must not close the script element. */
function eventsJson(events: readonly TimelineEvent[], { spell }: PageTimes): string {
  const rows = events.map(({ at, who, name, text }) => [
    at === undefined ? '' : spell(at),
    LETTERS[who],
    name ?? '',
    text,
  ]);
  return JSON.stringify(rows).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
