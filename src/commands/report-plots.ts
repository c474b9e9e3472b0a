import { formatThousands } from '../base/text/strings.ts';
import type { Report } from './report-data.ts';

const WIDTH = 320;
const HEIGHT = 96;
/** Room for the numbers above and the times below. */
const TOP = 16;
const BOTTOM = 18;
/** Most points that are drawn; a session may have thousands of answers. */
const MOST_POINTS = 400;

interface Point {
  at?: string;
  value: number;
}

/** Done steps after each change of the plan; nothing for fewer than two changes. */
export function renderProgressPlot({ progress, spell }: Report): string {
  const most = Math.max(...progress.map(({ total }) => total), 1);
  const points = progress.map(({ at, done }) => ({ at, value: done }));
  return renderPlot('Steps done, by change of the plan', points, most, `of ${most}`, spell);
}

export function renderFill({ fill, spell }: Report): string {
  const highest = Math.max(...fill.points.map(({ tokens }) => tokens), 1);
  const limit = fill.limit ?? highest;
  const label = fill.limit === undefined ? 'tokens' : `of ${formatThousands(limit)} tokens`;
  const points = fill.points.map(({ at, tokens }) => ({ at, value: tokens }));
  return renderPlot('Context, by answer', points, Math.max(limit, highest), label, spell);
}

function renderPlot(
  title: string,
  all: readonly Point[],
  most: number,
  label: string,
  spell: Report['spell'],
): string {
  if (all.length < 2) return '';

  const stride = Math.ceil(all.length / MOST_POINTS);
  const points = all.filter((_, index) => index % stride === 0 || index === all.length - 1);
  const x = (index: number): string => ((index * WIDTH) / (points.length - 1)).toFixed(1);
  const y = (value: number): string => (TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const path = points.map(({ value }, index) => `${x(index)},${y(value)}`).join(' ');
  const base = HEIGHT - BOTTOM;
  const last = all.at(-1)?.value ?? 0;
  const [begin, end] = [all[0]?.at, all.at(-1)?.at].map((at) =>
    at === undefined ? '' : spell(at).slice(5, 16),
  );
  const text = `${formatThousands(last)} ${label}`;

  return `<figure><figcaption>${title}: ${text}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: ${text}"><line class="axis" x1="0" x2="${WIDTH}" y1="${base}" y2="${base}"/><polygon class="area" points="0,${base} ${path} ${WIDTH},${base}"/><polyline class="curve" points="${path}"/><text x="0" y="${HEIGHT - 4}">${begin}</text><text x="${WIDTH}" y="${HEIGHT - 4}" text-anchor="end">${end}</text></svg></figure>`;
}
