/**
 * Measures redaction by secretlint's own snapshots: npx tsx scripts/secretlint.ts FOLDER, a clone of secretlint. Prints every
 * secret that is left, and what is redacted of the files in which secretlint finds nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findSecrets } from '../src/base/safety/index.ts';

/** Rules about other things than secrets in text. */
const OTHERS =
  /rule-(?:no-homedir|no-dotenv|no-k8s-kind-secret|pattern|filter-comments|internal|example|preset)/;

interface Snapshot {
  messages: { range: [number, number]; type: string; data?: { KEY?: string } }[];
  sourceContent?: string;
  sourceContentType?: string;
}

const [folder = '.'] = process.argv.slice(2);
let [secrets, left, alarms] = [0, 0, 0];
const files = readdirSync(join(folder, 'packages/@secretlint'), { recursive: true, encoding: 'utf8' });
for (const file of files) {
  if (!/test.snapshots.*output\.json$/.test(file) || OTHERS.test(file)) continue;
  const {
    messages,
    sourceContent = '',
    sourceContentType,
  } = JSON.parse(readFileSync(join(folder, 'packages/@secretlint', file), 'utf8')) as Snapshot;
  if (sourceContentType !== 'text') continue;
  const found = findSecrets(sourceContent);
  const name = `${file.split('/')[0]} ${basename(dirname(file))}`;
  const told = messages.filter(({ type }) => type === 'message');
  for (const { range, data } of told) {
    const text = sourceContent.slice(...range);
    const key = data?.KEY !== undefined && text.includes(data.KEY) ? data.KEY : text;
    // A range may include the name before the secret.
    const inUrl = /:\/\/(?:[^\s/:@]*:)?([^\s/]+)@/.exec(key)?.[1] ?? /services\/(\S+)/.exec(key)?.[1];
    const parts = inUrl === undefined ? (key.match(/(?!\/\/)[^\s"'=:,]+/g) ?? [key]) : [inUrl];
    const longest = parts.reduce((a, b) => (b.length > a.length ? b : a)).replace(/^\/+/, '');
    const start = range[0] + text.indexOf(longest);
    secrets += 1;
    if (found.some((each) => each.start <= start && each.end >= start + longest.length)) continue;
    left += 1;
    console.log(`left      ${name}: ${JSON.stringify(text.slice(0, 160))}`);
  }
  if (told.length > 0) continue;
  for (const { kind, start, end } of found) {
    alarms += 1;
    console.log(
      `redacted  ${name}: ${kind} ${JSON.stringify(sourceContent.slice(Math.max(0, start - 30), end).slice(0, 200))}`,
    );
  }
}
console.log(
  `${secrets - left} of ${secrets} secrets redacted; ${alarms} redactions where secretlint finds none`,
);
