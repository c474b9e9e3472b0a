import { resolve } from 'node:path';
import { type JsonObject, membersOf, numberAt, parsed } from '../../base/text/json.ts';
import type { Command } from './shell.ts';

export interface CommitMade {
  /** Empty if nothing was printed. */
  sha: string;
  subject: string;
  branch?: string;
  /** Replaces the commit before it. */
  amends?: true;
}

/** A pull request that a call acted on. */
export interface PullRequest {
  /** "PR #12"; empty if neither the call nor its result says which. */
  name: string;
  did: 'created' | 'commented' | 'merged' | 'closed' | 'edited' | 'checked out';
}

export interface GitFacts {
  commits?: CommitMade[];
  pushed?: true;
  pullRequest?: PullRequest;
  switchedTo?: string;
}

const COMMITTED = /^\[([^\]\n]{1,200}?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,300})$/gm;
/** jj: `Parent commit (@-) : rlvkpnrz 5e6f7a8b main | Subject`, or of what is described the working copy itself. */
const JJ_PARENT = /^Parent commit(?: +\(@-\))? *: [k-z]+ ([0-9a-f]{7,40}) (.{1,300})$/m;
const JJ_COPY = /^Working copy(?: +\(@\))? now at: [k-z]+ ([0-9a-f]{7,40}) (.{1,300})$/m;
const SWITCHED = /^(?:Switched to (?:a new |and reset )?branch|Already on) '([^']{1,200})'/gm;
const PUSHED = /(?:\.\.\.?[0-9a-f]{7,40}\s|\[new branch\]|\(forced update\))/;
const NOT_PUSHED = /^(?:error:|fatal:| ! \[)|\bfailed to push\b|\(dry run\)|^Nothing changed\./m;
const PUSHES_NONE = /^(?:--delete|-d|--dry-run|-n|--tags|:\S+)$/;
/** A command that prints nothing: `-q`, `-qam`. */
const QUIET = /^(?:--quiet|-[a-zA-Z]*q[a-zA-Z]*)$/;
const PULL =
  /(?:\/pull\/|pull request (?:[\w./-]+)?#)(\d{1,7})\b|(?:\/merge_requests\/|merge request !)(\d{1,7})\b/;
const API_COMMENT = /\/(?:pulls|issues)\/(\d{1,7})\/(?:comments|reviews|replies)/;
const API_WRITES = /^(?:-f|-F|--field|--raw-field|--input|POST|PATCH|PUT)$/;
const PULL_VERBS: Readonly<Record<string, PullRequest['did']>> = {
  ...{ create: 'created', new: 'created', merge: 'merged', close: 'closed', checkout: 'checked out' },
  ...{ comment: 'commented', note: 'commented', review: 'commented', approve: 'commented' },
  ...{ edit: 'edited', update: 'edited', ready: 'edited', reopen: 'edited' },
};
/** Tools of a forge's MCP server. */
const PULL_TOOL =
  /^mcp__.*_(create|merge|update)_(?:pull|merge)_request$|^mcp__.*pull_request_(review)_write$/;

/** What the commands did to branches, commits and pull requests of this repository. */
export function gitFacts(
  commands: readonly Command[],
  { output, worked }: { output: string; worked: boolean },
  where: { root: string; cwd: string },
): GitFacts {
  const facts: GitFacts = {};
  for (const { words, cd } of commands) {
    const call = gitCall(words, cd);
    if (isElsewhere(call.cd, where)) continue;
    const { program, verb, rest } = call;
    if (program === 'gh' || program === 'glab') ofForge(facts, words, output, worked);
    else if (verb === 'push' && (program === 'git' || program === 'jj')) {
      const sent = PUSHED.test(output) || (worked && !NOT_PUSHED.test(output));
      if (sent && !rest.some((word) => PUSHES_NONE.test(word))) facts.pushed = true;
    } else if (program === 'jj' && worked) add(facts, jujutsuCommit(verb, rest, output));
    else if (program === 'git' && /^(?:commit|cherry-pick|revert)$/.test(verb))
      add(facts, commits(call, output, worked));
    else if (program === 'git' && (verb === 'switch' || verb === 'checkout')) {
      const branch = printedBranch(output) ?? (worked ? namedBranch(verb, rest, output) : undefined);
      if (branch !== undefined) facts.switchedTo = branch;
    }
  }
  return facts;
}

/** The pull request that a forge's own tool acted on. */
export function pullRequestOf(tool: string, input: JsonObject, output: string): PullRequest | undefined {
  const [, verb, review] = PULL_TOOL.exec(tool) ?? [];
  const did = PULL_VERBS[verb ?? review ?? ''];
  if (did === undefined) return undefined;
  const given = numberAt(input, 'pullNumber') ?? numberAt(input, 'pull_number');
  const number = given ?? numberAt(membersOf(parsed(output)), 'number');
  return { name: number === undefined ? pullIn(output) : `PR #${number}`, did };
}

interface GitCall {
  program: string;
  verb: string;
  rest: string[];
  cd?: string | undefined;
}

/** A call of git or jj without the options before its verb: `git -C lib --no-pager commit -m x`, `jj git push`. */
function gitCall(words: readonly string[], cd: string | undefined): GitCall {
  let place = cd;
  let at = 1;
  while (words[at]?.startsWith('-')) {
    const takes = /^(?:-[CcR]|--repository|--git-dir|--work-tree)$/.test(words[at] ?? '');
    if (words[at] === '-C' || words[at] === '-R') place = words[at + 1];
    at += takes ? 2 : 1;
  }
  const program = words[0] ?? '';
  if (program === 'jj' && words[at] === 'git') at += 1;
  return { program, verb: words[at] ?? '', rest: words.slice(at + 1), cd: place };
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

function add(facts: GitFacts, made: readonly CommitMade[]): void {
  const fresh = made.filter(({ sha }) => sha === '' || !facts.commits?.some((known) => known.sha === sha));
  if (fresh.length > 0) facts.commits = [...(facts.commits ?? []), ...fresh];
}

function commits({ verb, rest }: GitCall, output: string, worked: boolean): CommitMade[] {
  const amends = rest.includes('--amend') && { amends: true as const };
  const made = [...output.matchAll(COMMITTED)].map(([, branch = '', sha = '', subject = '']) => ({
    sha,
    subject,
    ...(branch !== 'detached HEAD' && { branch }),
    ...amends,
  }));
  const silent = verb === 'commit' && worked && made.length === 0 && rest.some((word) => QUIET.test(word));
  return silent ? [{ sha: '', subject: subjectOf(rest), ...amends }] : made;
}

function jujutsuCommit(verb: string, rest: readonly string[], output: string): CommitMade[] {
  if (!/^(?:commit|ci|describe|desc|squash)$/.test(verb)) return [];
  const found = (verb.startsWith('desc') ? JJ_COPY : JJ_PARENT).exec(output);
  const subject = (found?.[2] ?? subjectOf(rest)).replace(/^[^|]{1,80} \| /, '').replace(/^\(empty\) /, '');
  if (subject === '' || subject === '(no description set)') return [];
  return [{ sha: found?.[1] ?? '', subject, ...(!verb.startsWith('c') && { amends: true as const }) }];
}

/** The first line of a message on the command line: `-m x`, `-m "$(cat <<'EOF' …)"`. */
function subjectOf(rest: readonly string[]): string {
  const at = rest.findIndex((word) => /^(?:-[a-zA-Z]*m|--message(?:=.*)?)$/s.test(word));
  const given = rest[at]?.startsWith('--message=') ? rest[at]?.slice('--message='.length) : rest[at + 1];
  const text = at === -1 ? '' : (given ?? '').replace(/^\$\(cat <<-?\s*['"]?\w+['"]?\s*\n/, '');
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';
}

const printedBranch = (output: string): string | undefined => [...output.matchAll(SWITCHED)].at(-1)?.[1];

/** The branch that a switch without output names; `git checkout src/a.ts` and `git checkout .` put files back. */
function namedBranch(verb: string, rest: readonly string[], output: string): string | undefined {
  if (rest.some((word) => /^(?:--|-d|--detach|-p|--patch|--orphan|-)$/.test(word))) return undefined;
  const made = rest.findIndex((word) => /^(?:-[bBcC]|--create|--force-create)$/.test(word));
  if (made !== -1) return rest[made + 1];
  const [name = '', ...others] = rest.filter((word) => !word.startsWith('-'));
  if (name === '' || others.length > 0 || /[$`*]/.test(name)) return undefined;
  const quiet = output.trim() === '' && rest.some((word) => QUIET.test(word));
  return verb === 'switch' || (quiet && !/\.|^[0-9a-f]{7,40}$|^HEAD/.test(name)) ? name : undefined;
}

/** `gh pr …`, `glab mr …`, and comments by `gh api`. */
function ofForge(facts: GitFacts, words: readonly string[], output: string, worked: boolean): void {
  const [, kind = '', verb = '', ...rest] = words;
  const comment =
    kind === 'api' && words.some((word) => API_WRITES.test(word)) ? API_COMMENT.exec(words.join(' ')) : null;
  const did = comment !== null ? 'commented' : kind === 'pr' || kind === 'mr' ? PULL_VERBS[verb] : undefined;
  if (!worked || did === undefined || rest.some((word) => word === '--help' || word === '--dry-run')) return;
  const given = rest.find((word) => /^#?\d{1,7}$/.test(word) || PULL.test(word)) ?? '';
  const named = comment?.[1] ?? /^#?(\d+)$/.exec(given)?.[1];
  const printed = pullIn(output);
  const name = did === 'created' ? printed : named === undefined ? pullIn(given) || printed : `PR #${named}`;
  if (did === 'created' && name === '') return;
  facts.pullRequest = { name, did };
  if (did === 'created') facts.pushed = true;
  const branch = did === 'checked out' ? printedBranch(output) : undefined;
  if (branch !== undefined) facts.switchedTo = branch;
}

function pullIn(text: string): string {
  const [, pull, merge] = PULL.exec(text) ?? [];
  return pull !== undefined ? `PR #${pull}` : merge !== undefined ? `MR !${merge}` : '';
}
