import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeSealed } from '../../src/base/trust/seal.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Pad } from '../../src/core/context.ts';
import { takePlan } from '../../src/core/plans.ts';
import { openPlanSpace, openTextSpace } from '../../src/core/spaces.ts';
import { parsePad, readRegion } from '../../src/pad/document.ts';
import { setRegion } from '../../src/pad/edit.ts';
import { markDone } from '../../src/pad/plan.ts';
import { parseSteps } from '../../src/pad/steps.ts';
import { HOST_SESSIONS } from '../../src/session/actor.ts';
import { FileStore, openStore } from '../../src/session/file-store.ts';
import { git, testRepository } from '../helpers/git.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { vouchFor } from '../helpers/test-dir.ts';

/**
 * Three sessions, two branches, a work tree, a subagent and a person, in any order, with kills between the journal and
 * the file: each sees its own plan, nobody loses one, and the file shows what the rules say.
 */
const SESSIONS = ['one', 'two', 'three'] as const;
type Actor = (typeof SESSIONS)[number] | undefined;
type Tree = 'main' | 'linked';

interface ModelPlan {
  tree: Tree;
  branch: string;
  session: Actor;
  content: string;
  at: number;
}

type Step =
  | { op: 'set' | 'add' | 'finish' | 'note'; actor: Actor; tree: Tree; killed: boolean }
  | { op: 'take'; actor: Actor; which: number }
  | { op: 'edit' | 'old buffer' }
  | { op: 'switch'; branch: string }
  | { op: 'end' | 'resume'; session: (typeof SESSIONS)[number] }
  | { op: 'subagent' };

const actor = fc.constantFrom<Actor>(...SESSIONS, undefined);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constantFrom('set' as const, 'set' as const, 'add' as const, 'finish' as const, 'note' as const),
      actor,
      tree: fc.constantFrom<Tree>('main', 'main', 'linked'),
      killed: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('take' as const), actor, which: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('edit' as const, 'old buffer' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('switch' as const), branch: fc.constantFrom('main', 'feature') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constantFrom('end' as const, 'resume' as const),
      session: fc.constantFrom(...SESSIONS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('subagent' as const) }) },
);

const isOpen = ({ content }: ModelPlan): boolean => parseSteps(content).some(({ done }) => !done);

/** What the rules say, in a few lines. */
class Model {
  plans: ModelPlan[] = [];
  branch = 'main';
  readonly ended = new Set<string>();
  notes: string[] = [];

  /** A person's view, which the file shows: the newest here. */
  get shown(): ModelPlan | undefined {
    return this.see(undefined, 'main');
  }

  placeOf(tree: Tree): { tree: Tree; branch: string } {
    return { tree, branch: tree === 'linked' ? 'linked' : this.branch };
  }

  isRunning({ session }: ModelPlan): boolean {
    return session !== undefined && !this.ended.has(session);
  }

  see(who: Actor, tree: Tree): ModelPlan | undefined {
    const { branch } = this.placeOf(tree);
    const newest = [...this.plans].sort((a, b) => b.at - a.at);
    const here = newest.filter((plan) => plan.tree === tree && plan.branch === branch);
    if (who === undefined) return here[0];
    const left = here.filter((plan) => !this.isRunning(plan));
    return (
      here.find(({ session }) => session === who) ??
      left.find(isOpen) ??
      left[0] ??
      newest.find((plan) => plan.session === who && plan.tree === tree && isOpen(plan))
    );
  }

  /** The plan that a change is for, and whose it is from then on. */
  change(who: Actor, tree: Tree, makes: boolean, now: number): ModelPlan {
    const place = this.placeOf(tree);
    const seen = this.see(who, tree);
    const isElsewhere = seen !== undefined && seen.branch !== place.branch;
    const beside = seen === undefined || (makes && isOpen(seen) && (isElsewhere || seen.session !== who));
    const plan = beside ? { ...place, session: who, content: '', at: 0 } : seen;
    if (beside) this.plans.push(plan);
    else if (makes || (who !== undefined && !isElsewhere)) Object.assign(plan, place, { session: who });
    plan.at = now;
    return plan;
  }
}

class World {
  readonly root = testRepository();
  readonly linked = join(this.root, '../linked');
  now = Date.now() - 20 * 60_000;
  count = 0;

  static async begin(): Promise<World> {
    const world = new World();
    git(world.root, 'branch', 'feature');
    git(world.root, 'worktree', 'add', '-q', '-b', 'linked', world.linked);
    vouchFor(world.root);
    mkdirSync(join(world.root, '.scratchpad/hosts'));
    return world;
  }

  async pad(who: Actor, tree: Tree): Promise<Pad> {
    const { root } = this;
    const env = { ...minimalEnv(), ...(who && { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: who }) };
    const cwd = tree === 'main' ? root : this.linked;
    const now = () => this.now;
    const { config } = await loadConfig(root, env);
    const where = { root, ...(tree === 'linked' && { worktree: 'linked' }) };
    const store = openStore(where, undefined, config, { now, env, cwd });
    return { root, store, config, env, cwd, now };
  }

  get file(): string {
    return join(this.root, 'SCRATCHPAD.md');
  }

  text(): string | undefined {
    try {
      return readFileSync(this.file, 'utf8');
    } catch {
      return undefined;
    }
  }

  word(): string {
    this.count += 1;
    return `task ${this.count}`;
  }
}

async function take(world: World, model: Model, one: Step): Promise<void> {
  world.now += 1000;
  const { now } = world;
  // A session that acts goes on, as its hooks then record.
  const record = (session: string, more: object = {}): void => {
    const file = join(world.root, '.scratchpad/hosts', `${session}.json`);
    writeSealed(file, HOST_SESSIONS, { version: 1, session, ...more }, {});
    utimesSync(file, now / 1000, now / 1000);
  };
  const actor = 'actor' in one ? one.actor : undefined;
  const acts = one.op === 'old buffer' ? 'one' : actor;
  if (acts !== undefined) {
    record(acts);
    model.ended.delete(acts);
  }
  if (one.op === 'switch') {
    git(world.root, 'symbolic-ref', 'HEAD', `refs/heads/${one.branch}`);
    model.branch = one.branch;
  } else if ('session' in one) {
    record(one.session, one.op === 'end' ? { ended: now } : {});
    if (one.op === 'end') model.ended.add(one.session);
    else model.ended.delete(one.session);
  } else if (one.op === 'subagent') {
    const { env } = await world.pad(undefined, 'main');
    const store = new FileStore(world.root, 'child-1', { now: () => now, env });
    await store.change(() => [{ space: 'notes', content: world.word(), op: 'set' }]);
    await store.change(() => [{ space: 'plan', content: `1. ${world.word()}`, op: 'set' }]);
  } else if (one.op === 'edit' || one.op === 'old buffer') {
    // A person who opens a file that a kill left behind sees what the next command makes of it.
    if (model.plans.length > 0) await (await world.pad(undefined, 'main')).store.change(() => []);
    const text = world.text();
    if (text === undefined || model.shown === undefined) return;
    const before = readRegion(parsePad(text), 'plan');
    const added = `${before}\n${before.split('\n').length + 1}. ${world.word()}`;
    const buffer = setRegion(text, 'plan', added);
    const edited = model.shown;
    if (one.op === 'old buffer') {
      // Somebody else is at work while the person's editor is open, and the file shows another plan by then.
      const pad = await world.pad('one', 'main');
      const line = world.word();
      await openTextSpace(pad, 'notes').append(line);
      model.notes.push(line);
      world.now += 1000;
    }
    writeFileSync(world.file, buffer);
    await (await world.pad(undefined, 'main')).store.change(() => []);
    edited.content = added;
    edited.at = world.now;
  } else if ('which' in one) {
    const pad = await world.pad(one.actor, 'main');
    const { seen } = await pad.store.read();
    const other = seen?.others[one.which];
    if (other === undefined) {
      await expect(takePlan(pad, 99)).rejects.toMatchObject({ kind: 'refused' });
      return;
    }
    await takePlan(pad, other.number);
    const taken = model.plans.find(({ content }) => content === other.content);
    if (taken === undefined) throw new Error(`nobody made ${other.content}`);
    Object.assign(taken, model.placeOf('main'), { session: one.actor, at: now });
  } else if ('tree' in one) {
    const pad = await world.pad(one.actor, one.tree);
    const before = world.text();
    const word = world.word();
    const plan = model.see(one.actor, one.tree);
    if (one.op === 'note') {
      await openTextSpace(pad, 'notes').append(word);
      model.notes.push(word);
    } else if (one.op === 'set') {
      await openPlanSpace(pad).set(`1. ${word}`);
      model.change(one.actor, one.tree, true, now).content = `1. ${word}`;
    } else if (one.op === 'add') {
      await openPlanSpace(pad).add(word);
      const target = model.change(one.actor, one.tree, false, now);
      target.content =
        target.content === ''
          ? `1. ${word}`
          : `${target.content}\n${parseSteps(target.content).length + 1}. ${word}`;
    } else if (plan !== undefined && isOpen(plan)) {
      const steps = parseSteps(plan.content);
      await openPlanSpace(pad).done(steps.map(({ number }) => number));
      // A plan of another branch is no longer seen from here once it is done.
      const { content } = markDone(
        plan.content,
        steps.map(({ number }) => number),
      );
      model.change(one.actor, one.tree, false, now).content = content;
    }
    // Killed between the journal and the file: the next command renders it from the journal.
    if (one.killed && before !== undefined) writeFileSync(world.file, before);
  }
}

async function check(world: World, model: Model): Promise<void> {
  const open = model.plans.filter(isOpen).map(({ content }) => content);
  for (const tree of ['main', 'linked'] as const) {
    for (const who of [...SESSIONS, undefined]) {
      const { spaces, seen } = await (await world.pad(who, tree)).store.read();
      const expected = model.see(who, tree)?.content ?? '';
      expect([tree, who, spaces.plan]).toEqual([tree, who, expected]);
      const others = seen?.others.map(({ content }) => content) ?? [];
      expect(new Set([...others, ...(open.includes(spaces.plan) ? [spaces.plan] : [])])).toEqual(
        new Set(open),
      );
      expect(spaces.notes).toBe(model.notes.join('\n'));
    }
  }
}

const count = { steps: 0, kills: 0 };

test('each sees its own plan, nobody loses one, and the file shows what the rules say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
      const world = await World.begin();
      const model = new Model();
      for (const one of steps) {
        count.steps += 1;
        if ('killed' in one && one.killed) count.kills += 1;
        await take(world, model, one);
        await check(world, model);
      }
      // After a write the file is in step with the journal.
      world.now += 1000;
      const line = world.word();
      await openTextSpace(await world.pad(undefined, 'linked'), 'notes').append(line);
      model.notes.push(line);
      const document = parsePad(world.text() ?? '');
      expect(readRegion(document, 'plan')).toBe(model.shown?.content ?? '');
      const lines = readRegion(document, 'beside').split('\n').filter(Boolean);
      expect(lines).toHaveLength(model.plans.filter((plan) => plan !== model.shown && isOpen(plan)).length);
    }),
    {
      numRuns: Number(process.env.SCRATCHPAD_RUNS ?? 5),
      ...(process.env.SCRATCHPAD_SEED && { seed: Number(process.env.SCRATCHPAD_SEED) }),
    },
  );
  if (process.env.SCRATCHPAD_RUNS) console.log(`${count.steps} steps with ${count.kills} kills`);
}, 3_600_000);
