import { ownSentences } from '../../hearing/own-words.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

export interface Reference extends Mark {
  text: string;
  from: string;
}

const MOST = 8;
const PULL = /\bpull\/(\d{1,6})\b|\bPR ?(?:#(\d{1,6})|(\d{2,6}))\b/gi;
/** In a branch: at the start of a part, such as `ana/ent-221-fix`. */
const IN_BRANCH = /(?:^|\/)([A-Za-z]{2,6}-\d{2,6})(?=$|[-_/])/g;
/** A ticket of Jira, Linear and the like. Standards and encodings are written the same way. */
const TICKET =
  /\b(?!(?:UTF|ISO|SHA|RFC|HTTP|TLS|MD|CVE|GPT|UTC|GMT|ES|ASCII|IPV|AES|RSA|CP|PEP|X|P|H|V|B|A|LATIN|KOI|WINDOWS|COVID|STEP|TASK|PHASE|OPTION|PART)-)([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,5})\b/g;

/** Pull requests and tickets of the work. */
export const references: Extractor<Reference[]> = {
  kind: 'reference',
  initial: () => [],
  observe(step, kept) {
    const put = (text: string, from: string): void => {
      const known = kept.findIndex((reference) => reference.text === text);
      if (known !== -1) kept.splice(known, 1);
      kept.push({ text, from, ...placeOf(step) });
      kept.splice(0, Math.max(0, kept.length - MOST));
    };
    if (step.type === 'link') put(keep(step.text, 40), 'linked by the host');
    else if (step.type === 'said')
      for (const name of namesIn(ownSentences(step.text).join('\n'))) put(name, 'named by the person');
    else if (
      step.type === 'done' &&
      step.outcome !== 'rejected' &&
      step.segments.some(({ words }) => words[0] === 'gh' && words[1] === 'pr' && words[2] === 'create')
    )
      for (const name of namesIn(step.output.slice(-600))) put(name, 'made by the agent');
  },
  facts: (kept, course) => {
    const ofBranch = [...(course.branch ?? '').matchAll(IN_BRANCH)].map((match) =>
      (match[1] ?? '').toUpperCase(),
    );
    const named = kept
      .toReversed()
      .map((reference) => ({ text: reference.text, why: reference.from, ...markOf(reference) }));
    const more = ofBranch.filter((text) => !kept.some((reference) => reference.text === text));
    return [...more.map((text) => ({ text, why: "in the branch's name", place: 0 })), ...named];
  },
};

function namesIn(text: string): string[] {
  const pulls = [...text.matchAll(PULL)].map((match) => `PR #${match[1] ?? match[2] ?? match[3]}`);
  return [...new Set([...pulls, ...[...text.matchAll(TICKET)].map((match) => match[1] ?? '')])];
}
