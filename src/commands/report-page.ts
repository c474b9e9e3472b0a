import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readText } from '../base/fs/index.ts';
import { findPackageFolder } from '../base/fs/system.ts';
import { collapseLines, formatCount, formatThousands } from '../base/text/strings.ts';
import { countDone, findCurrentStep, parseSteps } from '../pad/steps.ts';
import type { CallView, Part, Report } from './report-data.ts';
import { renderContextPlot, renderProgressPlot } from './report-plots.ts';

const readTemplate = (name: string): string =>
  readText(join(findPackageFolder(), 'templates/report', name), 'package') ?? '';

/** One self-contained HTML page: its policy forbids all requests, forms, foreign scripts and styles. */
export function renderPage(report: Report, { live = false } = {}): string {
  const style = readTemplate('page.css');
  const script = live ? readTemplate('follow.js') : '';
  const rules = [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    ...(live ? [`script-src ${hashSource(script)}`, "connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ];

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${rules.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${getTitle(report)}</title>
<style>${style}</style>
</head>
<body>
<main>
${renderMain(report)}</main>
${live ? `<script>${script}</script>\n` : ''}</body>
</html>
`;
}

const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const getTitle = ({ workspace }: Report): string =>
  escapeText(`Session report: ${workspace.split(/[\\/]/).at(-1) ?? ''}`);

export function renderMain(report: Report): string {
  const { notes, refs, told, turns } = report;
  const cards = [
    renderPlan(report.plan),
    renderCard('Notes', notes.trim() === '' ? '' : renderLines(notes.trimEnd().split('\n'))),
    renderCard('References', refs.length === 0 ? '' : renderLines(refs)),
  ].join('');
  const plots = [renderProgressPlot(report), renderContextPlot(report)].join('');
  const toldItems = told.map(({ at, text }) => `<li>${renderTime(report, at)} ${escapeText(text)}</li>`);
  const toldList = `<details id="told"><summary>${formatCount(told.length, 'line')} in its newest window</summary><ul>${toldItems.join('')}</ul></details>`;

  return [
    `<h1>${getTitle(report)}</h1>`,
    report.title && `<p class="lead">“${renderInline(report.title)}”</p>`,
    `<p class="lead">${escapeText(summarize(report))}</p>`,
    `<p class="soft">${escapeText(report.about.filter((fact) => fact !== '').join(' · '))}</p>`,
    report.events === 0 && WITHOUT_SESSION,
    cards && `<div class="cards">${cards}</div>`,
    plots && `<h2>Over the session</h2><div class="cards plots">${plots}</div>`,
    told.length > 0 && `<section><h2>Told to the model</h2>${toldList}</section>`,
    turns.length > 0 && renderConversation(report),
  ]
    .filter(Boolean)
    .map((html) => `${html}\n`)
    .join('');
}

const WITHOUT_SESSION =
  '<p>Once an agent has worked in this folder, its conversation stands here. Any session file: <code>scratchpad report --transcript FILE</code></p>';

function summarize({ events, counts, span, plan, spell }: Report): string {
  const [first = '', last = ''] = span.map((at) => spell(at).slice(0, 16));
  const end = last.startsWith(first.slice(0, 10)) ? last.slice(11) : last;
  const when = first === '' ? '' : `${first} to ${end}: `;
  const failed = counts.failed === 0 ? '' : ` (${formatThousands(counts.failed)} failed)`;
  const compacted = counts.compactions === 0 ? '' : `; compacted ${formatCount(counts.compactions, 'time')}`;
  const happened =
    events === 0
      ? 'No session of an agent was found here.'
      : `${when}${formatCount(counts.person, 'message')} of the person, ${formatCount(counts.agent, 'answer')} of the agent, ${formatCount(counts.calls, 'tool call')}${failed}${compacted}.`;

  const steps = parseSteps(plan);
  const done = countDone(steps);
  const plans =
    steps.length === 0 ? 'There is no plan.' : `${done} of ${formatCount(steps.length, 'step')} done.`;

  return `${happened} ${plans}`;
}

const renderCard = (title: string, html: string): string =>
  html === '' ? '' : `<section class="card"><h2>${title}</h2>${html}</section>`;

const renderLines = (lines: readonly string[]): string =>
  `<ul>${lines
    .filter((line) => line.trim() !== '')
    .map((line) => `<li>${renderInline(line.replace(/^\s*[-*+]\s+/, ''))}</li>`)
    .join('')}</ul>`;

function renderPlan(plan: string): string {
  if (plan.trim() === '') return '';

  const steps = parseSteps(plan);
  if (steps.length === 0) return renderCard('Plan', `<pre>${renderInline(plan.trimEnd())}</pre>`);

  const done = countDone(steps);
  const current = findCurrentStep(steps);
  const items = steps.map((step) => {
    const place = step === current ? 'current' : 'open';
    return `<li class="${step.done ? 'done' : place}">${step.number}. ${renderInline(collapseLines(step.text))}</li>`;
  });
  const bar = `<progress max="${steps.length}" value="${done}" aria-label="Steps done"></progress>`;
  return renderCard(
    'Plan',
    `${bar}<p class="soft">${done} of ${steps.length} done</p><ol class="plan">${items.join('')}</ol>`,
  );
}

function renderConversation(report: Report): string {
  const partCount = report.turns.flatMap(({ parts }) => parts).length;
  const cut = report.isCut
    ? `<p class="soft">The newest ${formatThousands(partCount)} parts of ${formatCount(report.events, 'event')}.</p>`
    : '';
  const turns = report.turns.map(({ parts, moods }, turn) => {
    let last = '';
    const html = parts.map((part, index) => {
      const speaker = 'at' in part && part.at ? `${part.kind} ${report.spell(part.at).slice(0, 16)}` : '';
      const isRepeated = part.kind === 'agent' && speaker !== '' && speaker === last;
      if (speaker !== '') last = speaker;
      return renderPart(report, part, `turn-${turn}-${index}`, index === 0 ? moods : [], isRepeated);
    });
    return `<article class="turn">${html.join('')}</article>`;
  });
  return `<section aria-label="Conversation"><h2>Conversation</h2>${cut}${turns.join('')}</section>`;
}

/** @param isRepeated what the same speaker said in the same minute stands above */
function renderPart(
  report: Report,
  part: Part,
  id: string,
  moods: readonly string[],
  isRepeated: boolean,
): string {
  switch (part.kind) {
    case 'calls':
      return renderCalls(part.calls, id);
    case 'compaction':
      return renderFold(
        id,
        `<hr><span>Context compacted</span> ${renderTime(report, part.at)}`,
        renderText(part.text),
      );
    case 'host':
      return renderFold(id, `The host ${renderTime(report, part.at)}`, renderText(part.text));
    case 'error':
      return `<p class="error">${escapeText(part.text)} ${renderTime(report, part.at)}</p>`;
    default: {
      const who = part.name ?? (part.kind === 'person' ? 'Person' : 'Agent');
      const mood = moods.map((each) => `<span class="mood">seemed ${escapeText(each)}</span>`).join('');
      const head = `<header>${escapeText(who)} ${renderTime(report, part.at)}${mood}</header>`;
      return `<div class="said ${part.kind}">${isRepeated ? '' : head}${renderText(part.text)}</div>`;
    }
  }
}

function renderCalls(calls: readonly CallView[], id: string): string {
  const [only] = calls;
  if (only !== undefined && calls.length === 1) return renderCall(only, id);

  const failed = calls.filter(({ outcome }) => outcome === 'failed').length;
  const refused = calls.filter(({ outcome }) => outcome === 'rejected').length;
  const tools = [...new Set(calls.map(({ tool }) => tool))].slice(0, 4).join(', ');
  const bad = [failed > 0 && `${failed} failed`, refused > 0 && `${refused} refused`]
    .filter(Boolean)
    .join(', ');
  const head = `${formatCount(calls.length, 'call')}: ${escapeText(tools)}${bad === '' ? '' : ` <span class="failed">${bad}</span>`}`;

  return renderFold(id, head, calls.map((call, index) => renderCall(call, `${id}-${index}`)).join(''));
}

const OUTCOMES: Readonly<Partial<Record<string, string>>> = { failed: ' failed', rejected: ' refused' };

function renderCall({ tool, input, outcome = 'unknown', output }: CallView, id: string): string {
  const word = OUTCOMES[outcome];
  const head = `${escapeText(tool)} <code>${escapeText(input)}</code>${word === undefined ? '' : `<span class="failed">${word}</span>`}`;
  return output === ''
    ? `<p class="soft">${head}</p>`
    : renderFold(id, head, `<pre tabindex="0">${escapeText(output)}</pre>`);
}

const renderFold = (id: string, head: string, html: string): string =>
  `<details id="${id}"><summary>${head}</summary>${html}</details>`;

/** Renders a message with its fenced code and its tables set apart; all else keeps its lines. */
function renderText(text: string): string {
  const parts = text.split(/^[ \t]*(?:```|~~~)[^\n]*\n?/m);
  return parts
    .flatMap((part, index) => {
      const pieces = index % 2 === 1 ? ['', part] : part.split(/((?:^[ \t]*\|.*\|[ \t]*(?:\n|$)){2,})/m);
      return pieces.map((piece, at) => {
        if (piece.trim() === '') return '';
        if (at % 2 === 1) return `<pre tabindex="0">${escapeText(piece.trimEnd())}</pre>`;
        return `<div class="text">${renderInline(piece.trim())}</div>`;
      });
    })
    .join('');
}

/** Renders a time without its day if all of the session is on one, which stands above. */
function renderTime({ spell, span }: Report, at: string | undefined): string {
  if (at === undefined) return '';

  const isOneDay = new Set([...span, at].map((time) => spell(time).slice(0, 10))).size === 1;
  return `<time datetime="${escapeText(at)}">${spell(at).slice(isOneDay ? 11 : 0, 16)}</time>`;
}

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Renders headings, links, code between backticks, bold words, and places at which a long path may break. */
const renderInline = (text: string): string =>
  escapeText(text.replace(/\n+(?:-{3,}|\*{3,})$/gm, ''))
    .split(/(\bhttps?:\/\/[^\s`]+)/)
    .map((piece, index) =>
      index % 2 === 1
        ? `<a href="${piece}" rel="noreferrer">${breakLong(piece)}</a>`
        : renderMarks(breakLong(piece)).replace(/^#{1,6} +(.+)$/gm, '<strong>$1</strong>'),
    )
    .join('');

const renderMarks = (html: string): string =>
  html.replace(/`([^`\n]+)`|\*\*(\S[^*\n]*?)\*\*/g, (_, code?: string, bold = '') =>
    code === undefined ? `<strong>${renderMarks(bold)}</strong>` : `<code>${code}</code>`,
  );

const breakLong = (text: string): string =>
  text.replace(/[^\s&#;]{24,}/g, (word) => word.replace(/[/_](?=\w)/g, '$&<wbr>'));
