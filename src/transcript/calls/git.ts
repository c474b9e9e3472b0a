import { resolve } from 'node:path';
import { isObject, type JsonObject, membersOf, numberAt, parsed } from '../../text/json.ts';
import type { Command } from './shell.ts';

/** A commit by Git or jj. */
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
/** jj names the new commit under the working copy: `Parent commit (@-) : rlvkpnrz 5e6f7a8b main | Subject`. */
const JJ_PARENT = /^Parent commit(?: \(@-\))?\s*: [k-z]+ ([0-9a-f]{7,40}) (.{1,300})$/m;
const JJ_COPY = /^Working copy(?: \(@\))? now at: [k-z]+ ([0-9a-f]{7,40}) (.{1,300})$/m;
const SWITCHED = /^(?:Switched to (?:a new |and reset )?branch|Already on) '([^']{1,200})'/m;
/** What says that a push did not arrive. */
const NOT_PUSHED = /^(?:error:|fatal:| ! \[)|\bfailed to push\b|\(dry run\)|^Nothing changed\./m;
const PUSHED = /(?:\.\.\.?[0-9a-f]{7,40}\s|\[new branch\]|\(forced update\))/;
/** A commit that prints nothing: `-q`, `-qam`. */
const QUIET = /^(?:--quiet|-[a-zA-Z]*q[a-zA-Z]*)$/;
const PULL_URL = /\/pull\/(\d{1,7})\b|\/merge_requests\/(\d{1,7})\b/;
const PULL_NAMED = /pull request (?:\S+)?#(\d{1,7})|merge request !(\d{1,7})/;
const PULL_VERBS: Readonly<Record<string, PullRequest['did']>> = {
  create: 'created',
  new: 'created',
  comment: 'commented',
  note: 'commented',
  review: 'commented',
  approve: 'commented',
  merge: 'merged',
  close: 'closed',
  reopen: 'edited',
  edit: 'edited',
  update: 'edited',
  ready: 'edited',
  checkout: 'checked out',
};
/** Tools of a forge's MCP server. */
const PULL_TOOLS: readonly (readonly [ending: RegExp, did: PullRequest['did']])[] = [
  [/create_pull_request$|create_merge_request$/, 'created'],
  [/merge_pull_request$/, 'merged'],
  [/update_pull_request$/, 'edited'],
  [
    /(?:add_comment_to|create)_?(?:pending_)?pull_request(?:_review)?|pull_request_review_write$/,
    'commented',
  ],
];

/** What the commands did to branches, commits and pull requests of this repository. */
export function gitFacts(
  commands: readonly Command[],
  { output, worked }: { output: string; worked: boolean },
  where: { root: string; cwd: string },
): GitFacts {
  const facts: GitFacts = {};
  for (const command of commands) {
    const { words } = command;
    const call = gitCall(command);
    if (isElsewhere(call?.cd ?? command.cd, where)) continue;
    if (call?.program === 'git') ofGit(facts, call, output, worked);
    else if (call?.program === 'jj') ofJujutsu(facts, call, output, worked);
    else if (words[0] === 'gh' || words[0] === 'glab') ofForge(facts, words, output, worked);
    else if (words[0] === 'gt' && /^(?:submit|ss)$/.test(words[1] ?? '') && worked) facts.pushed = true;
  }
  return facts;
}

/** The pull request that a forge's own tool acted on. */
export function pullRequestOf(tool: string, input: JsonObject, output: string): PullRequest | undefined {
  const did = PULL_TOOLS.find(([ending]) => tool.startsWith('mcp__') && ending.test(tool))?.[1];
  if (did === undefined) return undefined;
  const result = membersOf(parsed(output));
  const number =
    numberAt(input, 'pullNumber') ??
    numberAt(input, 'pull_number') ??
    numberAt(isObject(result) ? result : {}, 'number');
  return { name: number === undefined ? numberIn(output) : `PR #${number}`, did };
}

interface GitCall {
  program: 'git' | 'jj';
  verb: string;
  rest: string[];
  cd?: string;
}

/** A call of git or jj without the options before its verb: `git -C lib --no-pager commit -m x`. */
function gitCall({ words, cd }: Pick<Command, 'words' | 'cd'>): GitCall | undefined {
  const program = words[0];
  if (program !== 'git' && program !== 'jj') return undefined;
  let place = cd;
  let at = 1;
  while (words[at]?.startsWith('-')) {
    const takes = /^(?:-[CcR]|--repository|--git-dir|--work-tree)$/.test(words[at] ?? '');
    if (words[at] === '-C' || words[at] === '-R') place = words[at + 1];
    at += takes ? 2 : 1;
  }
  // `jj git push`
  if (program === 'jj' && words[at] === 'git') at += 1;
  return {
    program,
    verb: words[at] ?? '',
    rest: words.slice(at + 1),
    ...(place !== undefined && { cd: place }),
  };
}

/** Whether a command ran in another repository, as far as the command line shows. */
function isElsewhere(place: string | undefined, { root, cwd }: { root: string; cwd: string }): boolean {
  if (place === undefined) return false;
  if (/\$\(mktemp|\$\{?TMP|\$\{?(?:tmp|dir)\b/.test(place)) return true;
  if (/[$`]/.test(place)) return false;
  if (place.startsWith('~') || /^[A-Za-z]:/.test(place)) return !place.startsWith(root);
  const full = resolve(cwd, place);
  const holds = (one: string, other: string): boolean => other === one || other.startsWith(`${one}/`);
  return !holds(root, full) && !holds(cwd, full) && !holds(full, root);
}

function ofGit(facts: GitFacts, { verb, rest }: GitCall, output: string, worked: boolean): void {
  const names = rest.filter((word) => !word.startsWith('-'));
  if (verb === 'commit' || verb === 'cherry-pick' || verb === 'revert') {
    const amends = rest.includes('--amend');
    const made = [...output.matchAll(COMMITTED)].map(([, branch = '', sha = '', subject = '']) => ({
      sha,
      subject,
      ...(branch !== 'detached HEAD' && { branch }),
    }));
    const silent = verb === 'commit' && worked && made.length === 0 && rest.some((word) => QUIET.test(word));
    if (silent) made.push({ sha: '', subject: subjectOf(rest) });
    for (const commit of made)
      if (!facts.commits?.some(({ sha }) => sha !== '' && sha === commit.sha))
        facts.commits = [...(facts.commits ?? []), { ...commit, ...(amends && { amends }) }];
  } else if (verb === 'push') {
    if (rest.some((word) => /^(?:--delete|-d|--dry-run|-n|--tags|:\S+)$/.test(word))) return;
    if (PUSHED.test(output) || (worked && !NOT_PUSHED.test(output))) facts.pushed = true;
  } else if (verb === 'switch' || verb === 'checkout') {
    const branch = SWITCHED.exec(output)?.[1] ?? switchedBy(verb, rest, names, output, worked);
    if (branch !== undefined) facts.switchedTo = branch;
  }
}

/** The branch that a switch without output names. */
function switchedBy(
  verb: string,
  rest: readonly string[],
  names: readonly string[],
  output: string,
  worked: boolean,
): string | undefined {
  if (
    !worked ||
    rest.includes('--') ||
    rest.some((word) => /^(?:-d|--detach|-p|--patch|--orphan|-)$/.test(word))
  )
    return undefined;
  const made = rest.findIndex((word) => /^(?:-[bBcC]|--create|--force-create)$/.test(word));
  if (made !== -1) return rest[made + 1];
  if (names.length !== 1 || /[$`*]/.test(names[0] ?? '')) return undefined;
  if (verb === 'switch') return names[0];
  // `git checkout src/a.ts` and `git checkout .` put files back; a commit by its number is no branch.
  const name = names[0] ?? '';
  const quiet = rest.some((word) => QUIET.test(word)) && output.trim() === '';
  return quiet && !/\.|^[0-9a-f]{7,40}$|^HEAD/.test(name) ? name : undefined;
}

function ofJujutsu(facts: GitFacts, { verb, rest }: GitCall, output: string, worked: boolean): void {
  if (verb === 'push') {
    if (worked && !rest.includes('--dry-run') && !NOT_PUSHED.test(output)) facts.pushed = true;
    return;
  }
  if (!worked || !/^(?:commit|ci|describe|desc|squash)$/.test(verb)) return;
  const made = verb === 'commit' || verb === 'ci';
  const found = (made || verb === 'squash' ? JJ_PARENT : JJ_COPY).exec(output);
  const subject = (found?.[2] ?? subjectOf(rest)).replace(/^[^|]{1,80} \| /, '').replace(/^\(empty\) /, '');
  if (subject === '' || subject === '(no description set)') return;
  facts.commits = [
    ...(facts.commits ?? []),
    { sha: found?.[1] ?? '', subject, ...(!made && { amends: true as const }) },
  ];
}

/** The first line of a message on the command line. */
function subjectOf(rest: readonly string[]): string {
  for (const [at, word] of rest.entries()) {
    const joined = /^--message=([\s\S]*)$/.exec(word)?.[1];
    const given = joined ?? (/^(?:-[a-zA-Z]*m|--message)$/.test(word) ? rest[at + 1] : undefined);
    // `-m "$(cat <<'EOF' …)"`
    const text = given?.replace(/^\$\(cat <<-?\s*['"]?\w+['"]?\s*\n/, '');
    if (text !== undefined) return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';
  }
  return '';
}

/** `gh pr …`, `glab mr …`, and the same by `gh api`. */
function ofForge(facts: GitFacts, words: readonly string[], output: string, worked: boolean): void {
  if (!worked) return;
  const [, kind = '', verb = '', ...rest] = words;
  if (kind === 'api') {
    const writes = words.some(
      (word) => /^(?:-f|-F|--field|--raw-field|--input)$/.test(word) || /^(?:POST|PATCH|PUT)$/.test(word),
    );
    const number = /\/(?:pulls|issues)\/(\d{1,7})\/(?:comments|reviews|replies)/.exec(words.join(' '))?.[1];
    if (writes && number !== undefined) facts.pullRequest = { name: `PR #${number}`, did: 'commented' };
    return;
  }
  const did = kind === 'pr' || kind === 'mr' ? PULL_VERBS[verb] : undefined;
  if (did === undefined || rest.some((word) => /^(?:--help|--dry-run)$/.test(word))) return;
  const made = numberIn(output);
  if (did === 'created' && made === '') return;
  const given = rest.find((word) => /^#?\d{1,7}$/.test(word) || PULL_URL.test(word));
  const named = given === undefined ? '' : numberIn(given) || `PR #${given.replace('#', '')}`;
  facts.pullRequest = { name: did === 'created' ? made : named || made, did };
  if (did === 'created') facts.pushed = true;
  const branch = did === 'checked out' ? SWITCHED.exec(output)?.[1] : undefined;
  if (branch !== undefined) facts.switchedTo = branch;
}

function numberIn(text: string): string {
  const found = PULL_URL.exec(text) ?? PULL_NAMED.exec(text);
  if (found === null) return '';
  return found[1] === undefined ? `MR !${found[2]}` : `PR #${found[1]}`;
}
