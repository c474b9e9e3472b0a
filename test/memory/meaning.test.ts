import { appendFileSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAnswers } from '../../src/memory/answers.ts';
import { searchMemory } from '../../src/memory/search.ts';
import type { EmbeddingSettings, MemoryAnswer } from '../../src/memory/types.ts';
import { updateIndex } from '../../src/memory/update.ts';
import { readVectorStatus, updateVectors } from '../../src/memory/vectors.ts';
import { type Fault, type Service, startService } from './embedding-service.ts';
import { workspaceOf } from './workspace.ts';

/** Words that only the service knows, and enough lines about nothing in particular for one of them to stand out. */
const FILLER = Array.from(
  { length: 60 },
  (_, i) => `- the ${'abcdefghijklmnop'[i % 16]}${i} box is on shelf ${i}\n`,
);
const NOTES = {
  'MEMORY.md': '# Home\n\n- Ann has an old gribblet\n- the fuzzlet sleeps in the kitchen\n',
  'memory/boxes.md': FILLER.join(''),
};

const ask = (
  workspace: string,
  text: string,
  embeddings: EmbeddingSettings,
  signal?: AbortSignal,
): Promise<MemoryAnswer> => searchMemory({ text }, { workspace, embeddings, ...(signal && { signal }) });

const found = ({ hits }: MemoryAnswer): string[] => hits.map(({ path, line }) => `${path}:${line}`);

/** A workspace whose vectors are made. */
async function embedded(service: Service, files: Record<string, string> = NOTES): Promise<string> {
  const workspace = workspaceOf(files);
  await new Promise((done) => setTimeout(done, 150));
  await updateIndex({ workspace });
  const update = await updateVectors({ workspace, embeddings: service.settings() });
  expect(update?.missing).toBe(0);
  return workspace;
}

const status =
  (code: number, headers: Record<string, string> = {}, text = '{"error":"busy"}'): Fault =>
  (response) =>
    response.writeHead(code, headers).end(text);
const says =
  (text: string): Fault =>
  (response) =>
    void response.end(text);
const silence: Fault = () => undefined;

describe('a search by meaning', () => {
  it('finds other words for a thing, and says so', async () => {
    const service = await startService();
    const workspace = await embedded(service);
    const answer = await ask(workspace, 'does she own a car?', service.settings());
    expect(found(answer)).toEqual(['MEMORY.md:3']);
    expect(answer.meaning).toEqual({ used: true });
    expect(answer.hits[0]?.meaning).toBe(answer.hits[0]?.score);
    expect(found(await searchMemory({ text: 'does she own a car?' }, { workspace }))).toEqual([]);
  });

  it('puts first what both find, and gives nothing where nothing stands out', async () => {
    const service = await startService();
    const workspace = await embedded(service);
    const { hits } = await ask(workspace, 'fuzzlet dog kitchen', service.settings());
    expect(hits[0]?.line).toBe(4);
    expect(hits[0]?.meaning).toBeGreaterThan(0);
    expect(hits[0]?.score).toBeGreaterThan(100);
    expect(found(await ask(workspace, 'xylophone concert', service.settings()))).toEqual([]);
  });

  it('answers a prompt in other words, if the line stands out', async () => {
    const service = await startService();
    const workspace = await embedded(service);
    const said = async (content: string): Promise<string[]> => {
      const messages = [{ id: '1', role: 'user' as const, content, session: 's' }];
      const { hits } = await findAnswers(messages, { workspace, embeddings: service.settings() });
      return hits.map(({ text }) => text);
    };
    expect(await said('does she own a car?')).toEqual(['Ann has an old gribblet']);
    expect(await said('is there a xylophone concert?')).toEqual([]);
    const before = service.requests.length;
    expect(await said('buy her a car')).toEqual([]);
    expect(service.requests.length).toBe(before);
    // One line is the limit, and the words have found it.
    expect(await said('where does the fuzzlet sleep? does she own a car?')).toEqual([
      'the fuzzlet sleeps in the kitchen',
    ]);
    expect(service.requests.length).toBe(before);
  });

  it.each([
    ['OpenAI, and Ollama at its address', '/v1', 'TOY_KEY'],
    ['Ollama without a key', '/v1', undefined],
    ['Gemini', '/v1beta/openai', 'TOY_KEY'],
  ] as const)('speaks the protocol of %s', async (_, base, keyFrom) => {
    const service = await startService();
    const embeddings = service.settings({
      url: service.url + base,
      keyFrom,
      dimensions: 12,
    });
    process.env.TOY_KEY = 'a-key-for-tests';
    process.env.OPENAI_API_KEY = 'a-key-of-openai';
    onTestFinished(() => void delete process.env.OPENAI_API_KEY);
    const workspace = workspaceOf(NOTES);
    const update = await updateVectors({ workspace, embeddings });
    expect(update).toEqual({ embedded: 62, missing: 0, sent: 62 });
    expect(found(await ask(workspace, 'does she own a car?', embeddings))).toEqual(['MEMORY.md:3']);
    expect(readVectorStatus({ workspace, embeddings })).toEqual({ rows: 62 });
    expect(new Set(service.requests.map((each) => each.path))).toEqual(new Set([`${base}/embeddings`]));
    const { headers, body } = service.requests.at(-1) ?? {};
    // The key for OpenAI itself goes nowhere else.
    expect(headers?.authorization).toBe(keyFrom && 'Bearer a-key-for-tests');
    expect(body).toEqual({
      model: 'toy',
      input: ['does she own a car?'],
      dimensions: 12,
      encoding_format: 'float',
    });
    const files = readdirSync(join(workspace, '.scratchpad/index'));
    for (const name of files)
      expect(readFileSync(join(workspace, '.scratchpad/index', name), 'latin1')).not.toContain(
        'a-key-for-tests',
      );
  });

  it('sends no secret, from the middle of a key neither, and nothing of a file that is no memory', async () => {
    const service = await startService();
    const key = Array.from(
      { length: 6 },
      (_, i) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC${i}`,
    );
    const workspace = workspaceOf({
      'MEMORY.md': `# Access\n\n- the password is hunter2secret\n- AKIAIOSFODNN7QX4RTZM is for backups\n\n-----BEGIN RSA PRIVATE KEY-----\n${key.join('\n\n')}\n-----END RSA PRIVATE KEY-----\n`,
      'private.md': '- the diary says sorrow\n',
    });
    const embeddings = service.settings();
    await updateVectors({ workspace, embeddings });
    await ask(workspace, 'is the password hunter2secret still good for money?', embeddings);
    const sent = service.texts.join('\n');
    expect(sent).toContain('is for backups');
    expect(sent).toContain('still good for money?');
    for (const secret of ['hunter2secret', 'AKIAIOSFODNN7QX4RTZM', 'MIIEvQ', 'diary'])
      expect(sent).not.toContain(secret);
  });

  it('sends what is new and nothing twice, renamed files included', async () => {
    const service = await startService();
    const workspace = await embedded(service);
    const before = service.texts.length;
    renameSync(join(workspace, 'memory/boxes.md'), join(workspace, 'memory/crates.md'));
    appendFileSync(join(workspace, 'MEMORY.md'), '- the surgeon calls on Friday\n');
    const update = await updateVectors({ workspace, embeddings: service.settings() });
    expect(update).toEqual({ embedded: 63, missing: 0, sent: 1 });
    expect(service.texts.slice(before)).toEqual(['Home\nthe surgeon calls on Friday']);
    expect(found(await ask(workspace, 'which physician?', service.settings()))).toEqual(['MEMORY.md:5']);
    expect(await updateVectors({ workspace, embeddings: service.settings() })).toMatchObject({ sent: 0 });
  });

  it('has missing vectors made in the background: none yet, of another model, after a change, after a failure', async () => {
    const service = await startService();
    const workspace = workspaceOf(NOTES);
    await new Promise((done) => setTimeout(done, 150));
    const calls = async (embeddings: EmbeddingSettings): Promise<number> => {
      let count = 0;
      const background = (): void => {
        count++;
      };
      await searchMemory({ text: 'does she own a car?' }, { workspace, embeddings, background });
      return count;
    };
    const embeddings = service.settings();
    expect(await calls(embeddings)).toBe(1);
    await updateVectors({ workspace, embeddings });
    expect(await calls(embeddings)).toBe(0);
    expect(await calls(service.settings({ model: 'other' }))).toBe(1);
    appendFileSync(join(workspace, 'MEMORY.md'), '- the surgeon calls on Friday\n');
    await calls(embeddings);
    expect(await calls(embeddings)).toBe(1);
    service.faults.push(status(400));
    await updateVectors({ workspace, embeddings });
    // What failed just now is left alone for a while, then tried again.
    expect(await calls(embeddings)).toBe(0);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(workspace, '.scratchpad/index/memory.vectors'), anHourAgo, anHourAgo);
    expect(await calls(embeddings)).toBe(1);
  });

  it('never shows a line that is not there any more', async () => {
    const service = await startService();
    const workspace = await embedded(service);
    writeFileSync(join(workspace, 'MEMORY.md'), '# Home\n\n- Ann has nothing at all now\n');
    expect(found(await ask(workspace, 'does she own a car?', service.settings()))).toEqual([]);
  });
});

describe('when the service fails', () => {
  const QUESTION = 'where does the fuzzlet sleep, and which dog is it?';

  it.each<[string, Fault, RegExp]>([
    ['says nothing', silence, /no answer in time/],
    ['is busy', status(429, { 'retry-after': '60' }), /answered 429/],
    [
      'does not know the key',
      status(401, {}, '{"error":"bad key a-key-for-tests"}'),
      /answered 401: \{"error":"bad key …"\}/,
    ],
    ['talks garbage', says('<html>'), /expected 1 vectors of one length, found <html>/],
    ['gives no vector', says('{"data":[]}'), /expected 1 vectors/],
    ['gives words', says('{"data":[{"embedding":["a"]}]}'), /expected 1 vectors/],
    ['gives null', says('{"data":[null]}'), /expected 1 vectors/],
    ['sends elsewhere', status(307, { location: 'http://127.0.0.1:1/' }), /answered 307/],
    ['hangs up', (response) => void response.destroy(), /cannot be reached/],
  ])('the words answer: it %s', async (_, fault, problem) => {
    const service = await startService();
    process.env.TOY_KEY = 'a-key-for-tests';
    const workspace = await embedded(service);
    // Twice: a hang-up on a kept connection is tried once more.
    service.faults.push(fault, fault);
    const answer = await ask(workspace, QUESTION, service.settings({ keyFrom: 'TOY_KEY', deadline: 300 }));
    expect(found(answer)).toEqual(['MEMORY.md:4']);
    expect(answer.meaning).toEqual({ used: false, problem: expect.stringMatching(problem) });
    expect(service.requests.at(-1)?.path).toBe('/v1/embeddings');
  });

  it('the search by words answers if the service is down, there is no key, or time is up', async () => {
    const service = await startService();
    const workspace = await embedded(service);
    delete process.env.NO_SUCH_KEY;
    const keyless = await ask(workspace, QUESTION, service.settings({ keyFrom: 'NO_SUCH_KEY' }));
    expect(keyless.meaning?.problem).toBe('the environment has no NO_SUCH_KEY');
    const late = await ask(workspace, QUESTION, service.settings(), AbortSignal.abort());
    expect(late.meaning?.used).toBe(false);
    await service.stop();
    const dead = await ask(workspace, QUESTION, service.settings());
    expect(dead.meaning?.problem).toMatch(/cannot be reached: ECONNREFUSED/);
    for (const answer of [dead, keyless, late]) expect(found(answer)).toEqual(['MEMORY.md:4']);
  });

  it('an update keeps what it got, says what is wrong, and goes on from there', async () => {
    const service = await startService();
    const files = { 'MEMORY.md': Array.from({ length: 100 }, (_, i) => `- note ${i} of the dog\n`).join('') };
    const workspace = workspaceOf(files);
    await new Promise((done) => setTimeout(done, 150));
    const pass: Fault = (response) => {
      const input = (service.requests.at(-1)?.body.input ?? []) as string[];
      response.end(JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, index, 3] })) }));
    };
    service.faults.push(pass, status(400, {}, 'input too strange'));
    const embeddings = service.settings();
    const update = await updateVectors({ workspace, embeddings });
    expect(update).toMatchObject({ embedded: 64, missing: 36, sent: 64 });
    expect(update?.problem).toMatch(/answered 400: input too strange/);
    expect(readVectorStatus({ workspace, embeddings })).toMatchObject({ rows: 64, problem: update?.problem });
    service.dimensions = 3;
    service.faults.push(pass);
    expect(await updateVectors({ workspace, embeddings })).toEqual({ embedded: 100, missing: 0, sent: 36 });
    expect(readVectorStatus({ workspace, embeddings }).problem).toBeUndefined();
  });

  it('another model, by name or behind the same name, starts anew', async () => {
    const service = await startService();
    const workspace = await embedded(service);
    const other = service.settings({ model: 'other' });
    expect((await ask(workspace, QUESTION, other)).meaning?.problem).toMatch(/no vectors of this model/);
    expect(readVectorStatus({ workspace, embeddings: other })).toEqual({ rows: 0 });
    expect(await updateVectors({ workspace, embeddings: other })).toMatchObject({ sent: 62, missing: 0 });
    expect((await ask(workspace, QUESTION, other)).meaning).toEqual({ used: true });

    service.dimensions = 24;
    const changed = await ask(workspace, 'an gribblet or a wuffel?', other);
    expect(changed.meaning?.problem).toMatch(/no vectors of this model/);
    expect(found(changed)).toEqual(['MEMORY.md:3']);
    expect(await updateVectors({ workspace, embeddings: other })).toMatchObject({ sent: 62, missing: 0 });
    expect(readVectorStatus({ workspace, embeddings: other })).toEqual({ rows: 62 });

    service.dimensions = 20;
    appendFileSync(join(workspace, 'MEMORY.md'), '- the surgeon calls on Friday\n');
    expect(await updateVectors({ workspace, embeddings: other })).toEqual({
      embedded: 63,
      missing: 0,
      sent: 63,
    });
    expect(readVectorStatus({ workspace, embeddings: other })).toEqual({ rows: 63 });
  });
});

describe('the vectors on disk', () => {
  it('a changed byte anywhere never makes an answer wrong, and is repaired', async () => {
    const service = await startService();
    const workspace = await embedded(service);
    const embeddings = service.settings();
    const path = join(workspace, '.scratchpad/index/memory.vectors');
    const sound = readFileSync(path);
    await ask(workspace, 'does she own a car?', embeddings);
    for (let at = 0; at < sound.length; at += 13) {
      const broken = Buffer.from(sound);
      broken[at] = (broken[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(path, broken);
      expect(readVectorStatus({ workspace, embeddings }), `byte ${at}`).toEqual({ rows: 0 });
      const { hits } = await ask(workspace, 'does she own a car?', embeddings);
      for (const { path: file, line } of hits) expect(`${file}:${line}`).toBe('MEMORY.md:3');
    }
    await updateVectors({ workspace, embeddings });
    expect(readVectorStatus({ workspace, embeddings })).toEqual({ rows: 62 });
  });

  it('no request and no file when it is off', async () => {
    const service = await startService();
    const workspace = workspaceOf(NOTES);
    const embeddings = service.settings({ provider: 'off' });
    expect(await updateVectors({ workspace, embeddings })).toBeUndefined();
    expect((await ask(workspace, 'fuzzlet', embeddings)).meaning).toBeUndefined();
    expect(service.requests).toEqual([]);
    expect(readdirSync(join(workspace, '.scratchpad/index')).join()).not.toContain('vectors');
  });
});
