import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/base/errors.ts';
import type { SpaceName } from '../../src/pad/markers.ts';
import { FileStore } from '../../src/session/file-store.ts';
import type { Conflict } from '../../src/session/reconcile.ts';
import type { SessionStore } from '../../src/session/store.ts';

import { keepNotices, takeNotices } from '../../src/shared-store/membership.ts';
import { type LocalPad, sync } from '../../src/shared-store/sync.ts';
import type { Batch, ExchangeReport, PadState } from '../../src/shared-store/types.ts';
import { MemoryRemote } from '../helpers/memory-remote.ts';
import { MemoryStore } from '../helpers/memory-store.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';

/** A machine with a working copy of its own. */
class Machine implements LocalPad {
  store: SessionStore = new MemoryStore();
  conflicts: Conflict[] = [];
  readonly #redact: boolean;
  #state: string | undefined;

  constructor(redact = true) {
    this.#redact = redact;
  }

  get synced(): { pad?: PadState } {
    return this.#state === undefined ? {} : JSON.parse(this.#state);
  }

  saveSynced(news: { pad: PadState }): void {
    this.#state = JSON.stringify(news);
  }

  /** As a backup of the state file from before a crash would have it. */
  rollBack(pad: PadState | undefined): void {
    this.#state = pad && JSON.stringify({ pad });
  }

  keepConflict(conflict: Conflict): string {
    this.conflicts.push(conflict);
    return `${conflict.space} was changed on both sides`;
  }

  async sync(remote: MemoryRemote): Promise<ExchangeReport> {
    const report: ExchangeReport = { sessions: 0, sent: 0, received: 0, notices: [] };
    await sync(this, remote, 'main', this.#redact, report);
    return report;
  }

  async set(space: SpaceName, edit: (content: string) => string): Promise<void> {
    await this.store.change(({ spaces }) => [{ space, content: edit(spaces[space]), op: 'set' }]);
  }

  append(line: string): Promise<void> {
    return this.set('notes', (notes) => (notes === '' ? line : `${notes}\n${line}`));
  }

  async notes(): Promise<string> {
    return (await this.store.read()).spaces.notes;
  }
}

/** A store behind a bad line: what is asked may not arrive, or its answer may not. */
class BadLine extends MemoryRemote {
  readonly faults: ('none' | 'lost' | 'answer lost')[] = [];

  override async push(session: string, batch: Batch): Promise<number | 'behind'> {
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'lost') throw cut();
    const answer = await super.push(session, batch);
    if (fault === 'answer lost') throw cut();
    return answer;
  }
}

const cut = () => new ScratchpadError('environment', 'the connection was cut');

const pair = (): [MemoryRemote, Machine, Machine] => [new MemoryRemote(), new Machine(), new Machine()];

describe('two machines', () => {
  test('what one writes the other reads, with the same words in the journal', async () => {
    const [remote, a, b] = pair();
    await a.append('root cause: timezone');
    expect(await a.sync(remote)).toMatchObject({ sent: 1, received: 0 });
    expect(await b.sync(remote)).toMatchObject({ sent: 0, received: 1 });
    expect(await b.notes()).toBe('root cause: timezone');
    expect((await b.store.history()).revisions).toMatchObject([{ op: 'pull', by: 'remote' }]);
    expect(await b.sync(remote)).toMatchObject({ sent: 0, received: 0 });
  });

  test('both write while neither is connected: all text is there, the same on both', async () => {
    const [remote, a, b] = pair();
    await a.append('shared line');
    await a.sync(remote);
    await b.sync(remote);
    for (const line of ['a1', 'a2']) await a.append(line);
    for (const line of ['b1', 'b2']) await b.append(line);
    expect(await a.sync(remote)).toMatchObject({ sent: 1 });
    expect(await b.sync(remote)).toMatchObject({ sent: 1, received: 1 });
    await a.sync(remote);
    expect(await a.notes()).toBe('shared line\na1\na2\nb1\nb2');
    expect(await b.notes()).toBe(await a.notes());
    expect([...a.conflicts, ...b.conflicts]).toEqual([]);
  });

  test('of a line that both changed the later stays, and who sent it is told and keeps both', async () => {
    const [remote, a, b] = pair();
    await a.append('port: 80');
    await a.sync(remote);
    await b.sync(remote);
    await a.set('notes', () => 'port: 8080');
    await b.set('notes', () => 'port: 443');
    await a.sync(remote);
    expect((await b.sync(remote)).notices).toEqual(['notes was changed on both sides']);
    expect(await a.sync(remote)).toMatchObject({ received: 1, notices: [] });
    expect(await a.notes()).toBe('port: 443');
    expect(await b.notes()).toBe('port: 443');
    expect(b.conflicts).toEqual([{ space: 'notes', acknowledged: 'port: 8080', file: 'port: 443' }]);
    expect((await a.store.history()).revisions.map(({ content }) => content)).toContain('port: 8080');
  });

  test('what each had before they first met is joined', async () => {
    const [remote, a, b] = pair();
    await a.append('from a');
    await b.append('from b');
    await a.sync(remote);
    await b.sync(remote);
    await a.sync(remote);
    expect(await a.notes()).toBe('from a\nfrom b');
    expect(await b.notes()).toBe('from a\nfrom b');
  });

  test('what a person wrote into the file goes along', async () => {
    const [remote, a, b] = pair();
    const store = new FileStore(testDir(), 'main');
    a.store = store;
    await a.append('one');
    await a.sync(remote);
    const { pad } = store.paths;
    writeFileSync(pad, readFileSync(pad, 'utf8').replace('one', 'one\nby hand'));
    expect(await a.sync(remote)).toMatchObject({ sent: 1 });
    await b.sync(remote);
    expect(await b.notes()).toBe('one\nby hand');
  });
});

describe('secrets', () => {
  const SECRET = 'password: hunter2-Xy81kq0Zp';

  test('are not sent, and stay where they were written', async () => {
    const [remote, a, b] = pair();
    await a.append('before');
    await a.append(SECRET);
    await a.sync(remote);
    await b.sync(remote);
    expect(await b.notes()).toMatch(/^before\npassword: \[redacted: [^\]]+\]$/);
    await b.append('after');
    await b.sync(remote);
    await a.sync(remote);
    expect(await a.notes()).toBe(`before\n${SECRET}\nafter`);
    expect(await a.sync(remote)).toMatchObject({ sent: 0 });
    expect(JSON.stringify(await remote.pull('main', 0, undefined))).not.toContain('hunter2');
  });

  test('are sent where the server is trusted', async () => {
    const remote = new MemoryRemote();
    const [a, b] = [new Machine(false), new Machine(false)];
    await a.append(SECRET);
    await a.sync(remote);
    await b.sync(remote);
    expect(await b.notes()).toBe(SECRET);
  });

  test('removed by the other machine are removed here', async () => {
    const [remote, a, b] = pair();
    await a.append(`x\n${SECRET}\ny`);
    await a.sync(remote);
    await b.sync(remote);
    await b.set('notes', () => 'x\ny');
    await b.sync(remote);
    await a.sync(remote);
    expect(await a.notes()).toBe('x\ny');
  });
});

describe('a bad connection', () => {
  test('a lost answer makes no second copy', async () => {
    const remote = new BadLine();
    const a = new Machine();
    await a.append('zero');
    await a.sync(remote);
    await a.append('one');
    remote.faults.push('answer lost');
    await expect(a.sync(remote)).rejects.toThrow('cut');
    await a.append('two');
    await a.sync(remote);
    expect(await a.sync(remote)).toMatchObject({ sent: 0 });
    expect(await a.notes()).toBe('zero\none\ntwo');
    expect((await remote.pull('main', 0, undefined)).spaces.notes).toBe('zero\none\ntwo');
  });

  test('a state from before the last exchange loses nothing', async () => {
    const [remote, a, b] = pair();
    await a.append('one');
    await a.sync(remote);
    await b.sync(remote);
    const before = a.synced.pad;
    await b.append('two');
    await b.sync(remote);
    await a.append('three');
    await a.sync(remote);
    a.rollBack(before);
    await a.append('four');
    await a.sync(remote);
    await b.sync(remote);
    expect(await a.notes()).toBe('one\ntwo\nthree\nfour');
    expect(await b.notes()).toBe('one\ntwo\nthree\nfour');
  });

  test('a server restored from an old backup loses nothing that a machine has', async () => {
    const [remote, a] = pair();
    await a.append('one');
    await a.sync(remote);
    await a.append('two');
    await a.sync(remote);
    const backup = new MemoryRemote();
    const old = new Machine();
    await old.append('one');
    await old.append('since the backup');
    await old.sync(backup);
    expect((await a.sync(backup)).notices[0]).toContain('a different history');
    await old.sync(backup);
    expect(await a.notes()).toBe(await old.notes());
    for (const line of ['one', 'two', 'since the backup']) expect(await a.notes()).toContain(line);
  });

  test('any number of revisions is one change of a space', async () => {
    const [remote, a, b] = pair();
    await a.append('begin');
    await a.sync(remote);
    await b.sync(remote);
    for (let k = 0; k < 1100; k += 1) await a.set('plan', () => `step ${k}`);
    await b.append('meanwhile');
    await b.sync(remote);
    expect(await a.sync(remote)).toMatchObject({ sent: 1 });
    await b.sync(remote);
    expect((await b.store.read()).spaces).toEqual((await a.store.read()).spaces);
    expect((await a.store.read()).spaces.plan).toBe('step 1099');
  });
});

describe('any number of machines, whatever happens in between', () => {
  const MACHINES = 3;
  const step = fc.record({
    machine: fc.nat(MACHINES - 1),
    act: fc.constantFrom(
      'append',
      'append',
      'append',
      'prepend',
      'delete',
      'sync',
      'sync',
      'forget state' as const,
    ),
    fault: fc.constantFrom('none', 'none', 'lost', 'answer lost' as const),
    secret: fc.boolean(),
    at: fc.nat(20),
  });

  test('no line is lost unless somebody deleted it, and all end with the same text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const remote = new BadLine();
        const machines = Array.from({ length: MACHINES }, () => new Machine(false));
        const written = new Set<string>();
        const deleted = new Set<string>();
        let states: (PadState | undefined)[] = machines.map((machine) => machine.synced.pad);
        for (const [k, { machine: which, act, fault, at }] of steps.entries()) {
          const machine = machines[which] as Machine;
          const line = `line ${k}`;
          if (act === 'append' || act === 'prepend') {
            written.add(line);
            await machine.set('notes', (notes) =>
              (act === 'append' ? [...lines(notes), line] : [line, ...lines(notes)]).join('\n'),
            );
          } else if (act === 'delete') {
            await machine.set('notes', (notes) => {
              const gone = lines(notes)[at % Math.max(1, lines(notes).length)];
              if (gone !== undefined) deleted.add(gone);
              return lines(notes)
                .filter((each) => each !== gone)
                .join('\n');
            });
          } else if (act === 'forget state') {
            // A crash after the exchange and before its state was written.
            machine.rollBack(states[which]);
          } else {
            states = states.map((state, m) => (m === which ? machine.synced.pad : state));
            remote.faults.splice(0, remote.faults.length, fault);
            await machine.sync(remote).catch((error: Error) => expect(error.message).toContain('cut'));
          }
        }
        remote.faults.splice(0);
        for (let round = 0; round < 2; round += 1) for (const machine of machines) await machine.sync(remote);
        const [first = '', ...others] = await Promise.all(machines.map((machine) => machine.notes()));
        for (const other of others) expect(other).toBe(first);
        const kept = machines.flatMap(({ conflicts }) =>
          conflicts.flatMap(({ acknowledged, file }) => lines(`${acknowledged}\n${file}`)),
        );
        for (const line of written)
          if (!deleted.has(line)) expect([...lines(first), ...kept]).toContain(line);
        for (const machine of machines)
          expect(await machine.sync(remote)).toMatchObject({ sent: 0, received: 0 });
      }),
      { numRuns: runs(100) },
    );
  });
});

const lines = (text: string): string[] => (text === '' ? [] : text.split('\n'));

test('notices of exchanges are taken once, each of them', () => {
  const root = testDir({ '.scratchpad/shared/circuit.json': '{}' });
  keepNotices(root, ['one']);
  keepNotices(root, ['two', 'one']);
  expect(takeNotices(root)).toEqual(['one', 'two']);
  expect(takeNotices(root)).toEqual([]);
  keepNotices(root, ['three']);
  expect(takeNotices(root)).toEqual(['three']);
  expect(readdirSync(join(root, '.scratchpad/shared'))).toEqual(['circuit.json']);
});
