import { resolve } from 'node:path';
import { type JsonObject, membersOf, numberAt, parsed } from '../../base/text/json.ts';
import { wordSet } from '../../base/text/word-list.ts';
import type { Command } from './shell.ts';

export interface CommitMade {
  sha: string;
  subject: string;
}

export interface GitFacts {
  commits?: CommitMade[];
  /** "PR #12": created, changed or commented on, not only looked at. */
  pullRequest?: string;
}

const COMMITTED = /^\[[^\]\n]{1,200}? ([0-9a-f]{7,40})\] (.{1,300})$/gm;
/** jj: `Parent commit (@-) : rlvkpnrz 5e6f7a8b main | Subject`, or of what is described the working copy itself. */
const JJ_PARENT = /^Parent commit(?: +\(@-\))? *: [k-z]+ ([0-9a-f]{7,40}) (.{1,300})$/m;
const JJ_COPY = /^Working copy(?: +\(@\))? now at: [k-z]+ ([0-9a-f]{7,40}) (.{1,300})$/m;
const PULL =
  /(?:\/pull\/|pull request (?:[\w./-]+)?#)(\d{1,7})\b|(?:\/merge_requests\/|merge request !)(\d{1,7})\b/;
const API_COMMENT = /\/(?:pulls|issues)\/(\d{1,7})\/(?:comments|reviews|replies)/;
const API_WRITES = /^(?:-f|-F|--field|--raw-field|--input|POST|PATCH|PUT)$/;
const PULL_VERBS = wordSet('create new merge close comment note review approve edit update ready reopen');
/** Tools of a forge's MCP server. */
const PULL_TOOL =
  /^mcp__.*_(?:create|merge|update)_(?:pull|merge)_request$|^mcp__.*pull_request_review_write$/;

/** The commits that commands made in this repository, and the pull request that they acted on. */
export function gitFacts(
  commands: readonly Command[],
  { output, worked }: { output: string; worked: boolean },
  where: { root: string; cwd: string },
): GitFacts {
  const facts: GitFacts = {};
  const calls = commands.map(gitCall).filter(({ cd }) => !isElsewhere(cd, where));
  const made = calls.some(
    ({ program, verb }) => program === 'git' && /^(?:commit|cherry-pick|revert)$/.test(verb),
  )
    ? [...output.matchAll(COMMITTED)].map(([, sha = '', subject = '']) => ({ sha, subject }))
    : [];
  for (const { program, verb, words } of worked ? calls : []) {
    if (program === 'jj') made.push(...jujutsuCommit(verb, output));
    if (program === 'gh' || program === 'glab')
      facts.pullRequest = ofForge(words, output) ?? facts.pullRequest;
  }
  if (made.length > 0) facts.commits = made;
  return facts;
}

/** The pull request that a forge's own tool acted on. */
export function pullRequestOf(tool: string, input: JsonObject, output: string): string | undefined {
  if (!PULL_TOOL.test(tool)) return undefined;
  const given = numberAt(input, 'pullNumber') ?? numberAt(input, 'pull_number');
  const number = given ?? numberAt(membersOf(parsed(output)), 'number');
  return number === undefined ? pullIn(output) : `PR #${number}`;
}

/** A call of git or jj without the options before its verb: `git -C lib --no-pager commit -m x`. */
function gitCall({ words, cd }: Command): {
  program: string;
  verb: string;
  words: readonly string[];
  cd: string | undefined;
} {
  let place = cd;
  let at = 1;
  while (words[at]?.startsWith('-')) {
    if (words[at] === '-C' || words[at] === '-R') place = words[at + 1];
    at += /^(?:-[CcR]|--repository|--git-dir|--work-tree)$/.test(words[at] ?? '') ? 2 : 1;
  }
  return { program: words[0] ?? '', verb: words[at] ?? '', words, cd: place };
}

/** Whether a command ran in another repository, as far as the command line shows. */
function isElsewhere(place: string | undefined, { root, cwd }: { root: string; cwd: string }): boolean {
  if (place === undefined) return false;
  if (/[$`]/.test(place)) return /mktemp|\$\{?(?:TMP|tmp|dir\b)/.test(place);
  if (place.startsWith('~') || /^[A-Za-z]:/.test(place)) return !place.startsWith(root);
  const full = resolve(cwd, place);
  const holds = (one: string, other: string): boolean => other === one || other.startsWith(`${one}/`);
  return !holds(root, full) && !holds(cwd, full) && !holds(full, root);
}

function jujutsuCommit(verb: string, output: string): CommitMade[] {
  if (!/^(?:commit|ci|describe|desc|squash)$/.test(verb)) return [];
  const [, sha, said = ''] = (verb.startsWith('desc') ? JJ_COPY : JJ_PARENT).exec(output) ?? [];
  const subject = said.replace(/^[^|]{1,80} \| /, '').replace(/^\(empty\) /, '');
  return sha === undefined || subject === '(no description set)' ? [] : [{ sha, subject }];
}

/** `gh pr …`, `glab mr …`, and comments by `gh api`. */
function ofForge(words: readonly string[], output: string): string | undefined {
  const [, kind = '', verb = '', ...rest] = words;
  if (kind === 'api') {
    const number = words.some((word) => API_WRITES.test(word)) && API_COMMENT.exec(words.join(' '))?.[1];
    return number ? `PR #${number}` : undefined;
  }
  if (!/^[mp]r$/.test(kind) || !PULL_VERBS.has(verb)) return undefined;
  if (rest.includes('--help') || rest.includes('--dry-run')) return undefined;
  if (verb === 'create' || verb === 'new') return pullIn(output);
  const given = rest.find((word) => /^#?\d{1,7}$/.test(word) || PULL.test(word)) ?? '';
  const number = /^#?(\d+)$/.exec(given)?.[1];
  return number === undefined ? (pullIn(given) ?? pullIn(output)) : `PR #${number}`;
}

function pullIn(text: string): string | undefined {
  const [, pull, merge] = PULL.exec(text) ?? [];
  return pull !== undefined ? `PR #${pull}` : merge && `MR !${merge}`;
}
