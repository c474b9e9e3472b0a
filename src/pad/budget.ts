import { countCharacters, formatThousands } from '../base/text/strings.ts';
import type { SpaceName } from './markers.ts';

/** Limits of the spaces: `notes` and `plan` in code points, `refs` in items. */
export type Limits = Readonly<Record<SpaceName, number>>;

export const DEFAULT_LIMITS: Limits = { notes: 4000, plan: 2000, refs: 50 };

/** Longest single ref, in code points: a ref is a path, a URL or an identifier, not free text. */
export const REF_LENGTH_LIMIT = 1000;

export interface Usage {
  space: SpaceName;
  used: number;
  limit: number;
  unit: 'characters' | 'items';
}

export function measureUsage(space: SpaceName, content: string, limits: Limits): Usage {
  const limit = limits[space];
  return space === 'refs'
    ? { space, used: parseRefs(content).length, limit, unit: 'items' }
    : { space, used: countCharacters(content), limit, unit: 'characters' };
}

/** `notes: 1,204 of 4,000 characters` */
export function describeUsage({ space, used, limit, unit }: Usage): string {
  const over = used > limit ? ', over its limit' : '';
  return `${space}: ${formatThousands(used)} of ${formatThousands(limit)} ${unit}${over}`;
}

/** A line that only sets others apart: `---`, `|---|`, a code fence. */
export const isSeparator = (line: string): boolean => /^[-*_=|:+#>`\s]*$/.test(line);

/** The items of the refs space, oldest first. Lines without a bullet, as a person may type them, count too. */
export const parseRefs = (content: string): string[] =>
  content.split('\n').flatMap((line) => {
    const item = line.replace(/^\s*[-*+](?:\s+|$)/, '').trim();
    return isSeparator(item) ? [] : [item];
  });

export const renderRefs = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
