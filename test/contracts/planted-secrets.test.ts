import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRandom, shuffleList } from '../../scripts/random.ts';
import { openScratchpad } from '../../src/index.ts';
import { ALONE, DISGUISES, fill, survivor, TOLD } from '../base/safety/planted.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';

const NOW = Date.UTC(2026, 1, 5, 14, 30);
const random = createRandom(process.env.RUNS === undefined ? 1 : Date.now());

/** Every kind in every disguise, with new random parts; the plain ones first. */
const CASES = [['as it is', (secret: string) => secret] as const, ...DISGUISES].flatMap(
  ([disguise, hide]) => [
    ...ALONE.map(([kind, template]) => {
      const secret = fill(template, random);
      return { name: `${kind}, ${disguise}`, secret, text: `deploy with ${hide(secret)} today` };
    }),
    ...TOLD.map(([kind, context, template]) => {
      const secret = fill(template, random);
      const text = fill(context, random).replace('§', () => hide(secret));
      return { name: `${kind}, ${disguise}`, secret, text };
    }),
  ],
);

/** What is written and what a model is told after an assembly in a workspace that has the text everywhere. */
async function assembled(text: string, place: 'transcript' | 'memory'): Promise<string> {
  const inMemory = place === 'memory' ? text : 'nothing new';
  const said = place === 'transcript' ? text : 'please';
  const workspace = testDir({
    'MEMORY.md': `# Deployment\n\n- the deployment of the reef service: ${inMemory}\n`,
    'memory/2026-02-05.md': `# Reef service\n\n${inMemory}\n\n## Decision\n- deployment notes ${inMemory}\n`,
  });
  const messages = [
    ['user', `the deployment of the reef service fails, ${said}`],
    ['assistant', `I will try ${said}`],
    ['user', `what do we know about the deployment of the reef service? ${said}`],
  ].map(([role, content], k) => ({
    role,
    content,
    timestamp: new Date(NOW + (k - 3) * 60_000).toISOString(),
  }));
  const pad = await openScratchpad({ workspace, now: () => NOW, env: { HOME: workspace } });
  await pad.assemble({
    messages: { text: JSON.stringify(messages), name: 'planted' },
  });
  return `${readFileSync(pad.path, 'utf8')}\n${(await pad.context()).text}`;
}

test('no planted secret reaches the state block or what a model is told', {
  timeout: 3_600_000,
}, async () => {
  const order = Int32Array.from(CASES.keys());
  shuffleList(order, random);
  let reached = 0;
  const left: string[] = [];
  for (const at of order.subarray(0, runs(20))) {
    const { name, secret, text } = CASES[at] as (typeof CASES)[number];
    for (const place of ['transcript', 'memory'] as const) {
      const written = await assembled(text, place);
      if (written.includes('[redacted: ')) reached += 1;
      if (survivor(secret, written) !== null) left.push(`${name}, ${place}`);
    }
  }
  expect(left).toEqual([]);
  // It had come that far.
  expect(reached).toBeGreaterThan(0);
});
