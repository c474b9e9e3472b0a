import { shorten } from '../base/text/shorten.ts';

/** A time or a place in a file may come first. */
const BEFORE = /^[\s>|#]*(?:\[?\d[\d:.,TZ/+ -]{6,40}\]?\s+)?(?:\S{1,120}:\d+(?::\d+)?:?\s+(?:-\s+)?)?/;
/** How programs begin a line that reports an error. */
const REPORT =
  /^(?:\[?(?:ERROR|FATAL|CRITICAL|PANIC|FAILED|FAIL)\]?(?![\w/.-])|(?:error|fatal|panic)(?:\[\w+\]| [A-Z]{2,6}\d+)?:|[\w.$]{0,80}(?:Error|Exception)(?:: |$)|Traceback \(most recent call last\)|npm (?:ERR!|error) |E {3,}\S|make(?:\[\d+\])?: \*\*\* )/;
/** Longer lines are looked at up to here. */
const LOOKED_AT = 300;
const SHOWN = 3;
const LENGTH = 140;

/**
 * The first lines that report an error, for a preview that leaves them out: `line 512: ERROR: migration 0042 failed`.
 * @param first number of the text's first line
 * @returns `undefined` if there are none
 */
export function errorLines(text: string, first: number): string | undefined {
  const found: string[] = [];
  const seen = new Set<string>();
  let number = first;
  for (let at = 0; at < text.length; number += 1) {
    const feed = text.indexOf('\n', at);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(at, Math.min(end, at + LOOKED_AT));
    at = end + 1;
    const words = line.slice(BEFORE.exec(line)?.[0].length ?? 0).trim();
    if (!REPORT.test(words) || seen.has(words)) continue;
    seen.add(words);
    found.push(`line ${number}: ${shorten(line.trim(), LENGTH)}`);
  }
  const more = found.length > SHOWN ? ` · and ${found.length - SHOWN} more` : '';
  return found.length === 0 ? undefined : `${found.slice(0, SHOWN).join(' · ')}${more}`;
}
