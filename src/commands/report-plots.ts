import { formatThousands } from '../base/text/strings.ts';
import type { Report } from './report-data.ts';

/** Stretched to the figure by the style. */
const WIDTH = 320;
const HEIGHT = 80;
/** Most points that are drawn; a session may have thousands of answers. */
const MOST_POINTS = 400;

interface Point {
  at?: string;
  value: number;
  isCut?: boolean | undefined;
  /** Whether the value before it held until then. */
  isHeld?: boolean;
}

/** Done steps after each change of the plan; nothing for fewer than two changes. */
export function renderProgressPlot({ progress, ...report }: Report): string {
  const most = Math.max(...progress.map(({ total }) => total), 1);
  const changes = [...progress, ...progress.slice(-1)];
  const points = changes.map(({ at, done: value }) => ({ at, value, isHeld: true }));
  return renderPlot('Steps done, by change of the plan', points, most, `of ${most}`, report);
}

export function renderContextPlot({ fill, ...report }: Report): string {
  const highest = Math.max(...fill.points.map(({ tokens }) => tokens), 1);
  const limit = fill.limit ?? highest;
  const label =
    fill.limit === undefined
      ? `tokens${highest === fill.points.at(-1)?.tokens ? '' : `, at most ${formatThousands(highest)}`}`
      : `of ${formatThousands(limit)} tokens`;
  const points = fill.points.map(({ at, tokens, isCut }) => ({ at, value: tokens, isCut }));
  return renderPlot('Context, by answer', points, Math.max(limit, highest), label, report);
}

function renderPlot(
  title: string,
  all: readonly Point[],
  most: number,
  label: string,
  { spell, span }: Pick<Report, 'spell' | 'span'>,
): string {
  if (all.length < (all[0]?.isHeld ? 3 : 2)) return '';

  const stride = Math.ceil(all.length / MOST_POINTS);
  const points = all.filter((_, index) => index % stride === 0 || index === all.length - 1);
  const x = (index: number): string => ((index * WIDTH) / (points.length - 1)).toFixed(1);
  const y = (value: number): string => ((1 - value / most) * (HEIGHT - 4) + 2).toFixed(1);
  const path = points
    .flatMap(({ value, isHeld }, index) => {
      const before = isHeld ? points[index - 1] : undefined;
      return [...(before ? [`${x(index)},${y(before.value)}`] : []), `${x(index)},${y(value)}`];
    })
    .join(' ');
  const cuts = points.flatMap(({ isCut }, index) =>
    isCut ? `<line class="cut" x1="${x(index)}" x2="${x(index)}" y1="0" y2="${HEIGHT}"/>` : [],
  );
  const last = all.at(-1)?.value ?? 0;
  const [begin = '', end = ''] = [all[0]?.at ?? span[0], all.at(-1)?.at ?? span.at(-1)].map((at) =>
    at === undefined ? '' : spell(at).slice(5, 16),
  );
  const legend = cuts.length > 0 ? '<span class="failed">┆ compacted</span>' : '';
  const text = `${formatThousands(last)} ${label}`;

  const drawing = `<polygon class="area" points="0,${HEIGHT} ${path} ${WIDTH},${HEIGHT}"/>${cuts.join('')}<polyline class="curve" points="${path}"/>`;

  return `<figure><figcaption>${title}: ${text}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${text}">${drawing}</svg><div class="times"><span>${begin}</span>${legend}<span>${end === begin ? '' : end}</span></div></figure>`;
}
