import { ownSentences } from '../hearing/own-words.ts';
import { spellGap } from '../text/counts.ts';
import { asksForBanned } from './bans.ts';
import { type Fact, openFacts } from './fact.ts';
import { checkLine, type TrailLine, titleOf } from './line.ts';
import { type Item, packed } from './rank.ts';
import type { Trail } from './trail.ts';

/** A request to commit, not just a mention of commits. */
const ASKS_COMMIT =
  /(?:^|,\s|\s-\s|\bthen\s|\band\s)(?:(?:ok(?:ay)?|yes|please|now|great|perfect|nice|good|let'?s|can you|could you|go ahead and|make a .{0,20}\band)[,!]?\s+)*(?:please\s+)?(?:(?:make|create) (?:a|the|one) commit|commit|amend|stage|squash|stash)(?:\s+(?:this|these|it|that|them|all|everything|the|what|and|our|my|your|so|now|please|with|as|in|to)\b|[\s.,!]*$|[,;])/i;
const ASKS_GROUPED = /(?<!\bI )\b(?:group|split|organi[sz]e|put)\b.{0,40}\bcommits?\b/i;
const FORBIDS = /\b(?:don'?t|do not|never|without|not)\s+(?:\w+\s+)?(?:commit|push|stash|stage|amend)/i;

function asksToCommit(prompt: string): boolean {
  return ownSentences(prompt)
    .slice(0, 6)
    .some(
      (sentence) =>
        sentence.length < 160 &&
        (!sentence.includes('?') ||
          /^(?:\w+[,!]\s+)?(?:please )?(?:can|could|would|will) (?:you|we)\b/i.test(sentence)) &&
        !FORBIDS.test(sentence) &&
        (ASKS_COMMIT.test(sentence) || ASKS_GROUPED.test(sentence)),
    );
}

const CHECKS =
  'tests?|specs?|test suite|lint(?:er|ing)?|build|ci|pipeline|checks?|type ?checks?|compil\\w*|tsc';
const FAILS = "fail\\w*|red|broken|errors?|not pass(?:ing)?|(?:do|does)n'?t pass";
/** The failing checks are the subject, not just anything that does not work. */
const ABOUT_FAILURE = new RegExp(
  `\\b(?:${CHECKS})\\b.{0,60}?\\b(?:${FAILS})\\b|\\b(?:failing|failed|broken|red) (?:\\w+ ){0,2}(?:${CHECKS})\\b|` +
    `\\bfix (?:\\w+ ){0,3}(?:${CHECKS}|errors?|failures?)\\b|^.{0,40}\\bfail(?:s|ed|ing|ures?)\\b.{0,16}$`,
  'i',
);
const TEST_FIRST =
  /\b(?:make|write|create|add|start with)\b.{0,24}\b(?:failing test|test that fails)|\bif (?:any|a|the|one) (?:test|check|build)s? fails?\b/i;

/** At a prompt only relevant facts: bans on what it asks for, files for a request to commit, failing tests for a mention of failures. */
export function atPrompt(
  trail: Trail,
  { prompt = '', already = '', budgetTokens }: { prompt?: string; already?: string; budgetTokens: number },
): TrailLine[] {
  const said = bannedHere(trail, prompt).filter(
    ({ text }) => !already.includes(/“.*”/.exec(text)?.[0] ?? text),
  );
  const edited = openFacts(trail.facts, 'edited');
  if (edited.length > 0 && asksToCommit(prompt)) {
    const own = trail.from === 'last session' ? [] : edited.filter(({ session }) => session === undefined);
    const earlier = edited.filter((fact) => !own.includes(fact));
    const why = 'edits without a commit since';
    for (const [key, title, files] of [
      ['trail:edited', 'Edited since your last commit', own],
      ['trail:left', 'Left uncommitted by an earlier session', earlier],
    ] as const)
      if (files.length > 0)
        said.push({
          key,
          kind: 'edited',
          text: `${title}${listed(files, budgetTokens / (files === own ? 1 : 2))}`,
          why,
        });
  }
  const failing = openFacts(trail.facts, 'failing');
  const [check] = openFacts(trail.facts, 'check');
  const isRed = failing.length > 0 || check?.text.includes('failed') === true;
  if (isRed && prompt.length < 400 && ABOUT_FAILURE.test(prompt) && !TEST_FIRST.test(prompt)) {
    if (check !== undefined) said.push(checkLine(check));
    if (failing.length > 0)
      said.push({
        key: 'trail:failing',
        kind: 'failing',
        text: `${titleOf(`Still failing${sinceText(failing, trail.now)}`, failing[0])}: ${failing
          .slice(0, 4)
          .map(({ text }) => text)
          .join('; ')}`,
        why: failing[0]?.why ?? '',
      });
    const changed = edited.filter(
      ({ place, session }) => check !== undefined && session === check.session && place > check.place,
    );
    if (changed.length > 0)
      said.push({
        key: 'trail:changed',
        kind: 'edited',
        text: `Changed since that run${listed(changed, budgetTokens / 2)}`,
        why: 'edits after the last check',
      });
  }
  return said;
}

/** Bans that the prompt touches, if the model does not see them any more: it may not know that it was asked not to. */
function bannedHere(trail: Trail, prompt: string): TrailLine[] {
  return openFacts(trail.facts, 'instruction')
    .filter((fact) => fact.far === true && asksForBanned(prompt, fact.text))
    .slice(0, MOST_BANS)
    .map(({ id, kind, text, time, why }) => ({
      key: `trail:${id}`,
      kind,
      text: `The person said: ${text}${time === undefined ? '' : ` (${spellGap(trail.now - Date.parse(time))} ago)`}`,
      why,
      once: true,
    }));
}

const MOST_BANS = 2;

/** How long the first of them has failed. */
function sinceText(failing: readonly Fact[], now: number): string {
  const [first] = failing.flatMap(({ time }) => time ?? []).sort();
  return first === undefined ? '' : ` for ${spellGap(now - Date.parse(first))}`;
}

/** The files after the colon, on one line, grouped by folder. */
function listed(files: readonly Fact[], budgetTokens: number): string {
  const items = files.map(
    ({ text }): Item => ({
      kind: 'file',
      value: text,
      short: text.slice(text.lastIndexOf('/') + 1),
      score: 0,
      open: false,
    }),
  );
  return packed(items, (characters) => characters <= budgetTokens * 4).files.replace(/^Files/, '');
}
