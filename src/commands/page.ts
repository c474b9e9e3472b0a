import { createHash } from 'node:crypto';
import { counted, thousands } from '../base/text/strings.ts';
import { outlook, stepsOf } from '../pad/steps.ts';

/** One event of the session: a message, or the output of a tool. */
export interface TimelineEvent {
  /** ISO 8601, UTC; absent if the host does not record it. */
  at?: string;
  who: 'person' | 'agent' | 'tool' | 'system';
  /** The tool, or the speaker in a group chat. */
  name?: string;
  text: string;
}

/** Everything that the page shows; all texts without secrets, times in ISO 8601 and UTC. */
export interface Page {
  workspace: string;
  session: string;
  /** The session of a host that the events are from. */
  source?: string;
  made: string;
  /** The name of the time zone. */
  zone: string;
  /** A time of it, to the second. */
  spell(at: string): string;
  events: readonly TimelineEvent[];
  plan: string;
  notes: string;
  refs: readonly string[];
}

/** The page's own colours for light and dark, system fonts, nothing loaded. */
const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--card:#f6f8fa;--line:#d0d7de;--mark:#0550ae;--good:#116329}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--paper:#0d1117;--card:#161b22;--line:#30363d;--mark:#79c0ff;--good:#7ee787}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
header,main{max-width:68rem;margin:0 auto;padding:1rem 1.25rem}
h1{font-size:1.6rem;margin:.5rem 0 0}h2{font-size:1.15rem;margin:2rem 0 .6rem}
p{margin:.3rem 0}.lead{font-size:1.1rem;max-width:60rem}ul{margin:.3rem 0;padding-left:1.2rem;overflow-wrap:anywhere}.soft{color:var(--soft)}
a{color:var(--mark)}a:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
.wide{overflow:auto;max-height:36rem;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .7rem;border-bottom:1px solid var(--line)}
tr:last-child td{border-bottom:0}th{background:var(--card);font-weight:600}
td{overflow-wrap:break-word}td:last-child{overflow-wrap:anywhere}.time{width:11rem;white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.75rem .9rem;white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.person{color:var(--mark);font-weight:600}.agent{color:var(--good);font-weight:600}.tool,.system{color:var(--soft)}
@media(max-width:600px){.time{white-space:normal;width:auto;min-width:5.2rem}th,td{padding:.3rem .4rem}}
@media print{.wide{max-height:none}}
`;

/** One self-contained HTML page: its policy forbids all requests, scripts, forms, and other styles. All texts are escaped. */
export function renderPage(page: Page): string {
  const style = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
  const policy = `default-src 'none'; style-src ${style}; base-uri 'none'; form-action 'none'`;
  const parts: readonly (readonly [title: string, body: string])[] = [
    ['Plan', preformatted(page.plan)],
    ['Notes', preformatted(page.notes)],
    ['References', references(page.refs)],
    ['Timeline', timeline(page)],
  ];
  const title = asText(`Session report: ${page.workspace.split(/[\\/]/).at(-1) ?? ''}`);
  const made = `made ${page.spell(page.made)}, times in ${page.zone}`;
  const about = [`Session ${page.session}`, page.workspace, made, page.source];
  // No heading over nothing.
  const shown = parts.filter(([, body]) => body !== '');
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
<p class="lead">${asText(inASentence(page))}</p>
<p class="soft">${asText(about.filter((fact) => fact !== undefined).join(' · '))}</p>
</header>
<main>
${shown.map(([name, body]) => `<section><h2>${name}</h2>\n${body}</section>`).join('\n')}
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

/** What happened, for somebody who reads nothing else. */
function inASentence({ events, plan, notes, refs, spell }: Page): string {
  const [first = '', last = ''] = [events.find(({ at }) => at), events.findLast(({ at }) => at)].map(
    (event) => event?.at && spell(event.at).slice(0, 16),
  );
  const count = (kind: TimelineEvent['who']): number => events.filter(({ who }) => who === kind).length;
  const until = last.slice(0, 10) === first.slice(0, 10) ? last.slice(11) : last;
  const when = first === '' ? '' : `${first} to ${until}: `;
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

function references(refs: readonly string[]): string {
  const items = refs.map((ref) => {
    const address = /^https?:\/\/\S+/.exec(ref)?.[0];
    if (address === undefined) return `<li>${marked(ref)}</li>`;
    const link = `<a href="${asText(address)}" rel="noreferrer">${asText(address)}</a>`;
    return `<li>${link}${marked(ref.slice(address.length))}</li>`;
  });
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

/** The newest events: a browser searches in so many at once, and a session may have a hundred thousand. */
const EVENTS_SHOWN = 1000;

function timeline({ events, spell }: Page): string {
  const rows = events.slice(-EVENTS_SHOWN).map(({ at, who, name, text }) => {
    const speaker = name ? `${who} · ${name}` : who;
    return `<tr><td class="time">${at === undefined ? '' : spell(at)}</td><td class="${who}">${asText(speaker)}</td><td>${marked(text)}</td></tr>`;
  });
  if (rows.length === 0) return '';
  const cut = `<p class="soft">The newest ${thousands(rows.length)} of ${thousands(events.length)}.</p>`;
  const heads = '<tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th></tr>';
  return `${events.length > rows.length ? cut : ''}<div class="wide" tabindex="0" role="region" aria-label="Events"><table><thead>${heads}</thead><tbody>${rows.join('')}</tbody></table></div>`;
}
