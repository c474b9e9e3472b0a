/**
 * Plants secrets of every known kind, spelling and disguise, and counts those that survive: once through redaction
 * alone, once in the state block that an assembly writes from a transcript and from memory files.
 *
 *   npx tsx scripts/chaos/secrets.ts [--seed 1] [--rounds 1] [--blocks 400]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openScratchpad } from '../../src/library/scratchpad.ts';
import { redactSecrets } from '../../src/safety/index.ts';
import { ALONE, DISGUISES, fill, survivor, TOLD } from '../../test/safety/planted.ts';
import { randomFrom } from '../random.ts';

interface Case {
  kind: string;
  disguise: string;
  secret: string;
  text: string;
}

const PLAIN = ['as it is', (secret: string) => secret] as const;

/** Every kind in every disguise, with new random parts. */
function* cases(random: () => number): Generator<Case> {
  for (const [disguise, hide] of [PLAIN, ...DISGUISES]) {
    for (const [kind, template] of ALONE) {
      const secret = fill(template, random);
      yield { kind, disguise, secret, text: `deploy with ${hide(secret)} today` };
    }
    for (const [kind, context, template] of TOLD) {
      const secret = fill(template, random);
      yield { kind, disguise, secret, text: fill(context, random).replace('§', () => hide(secret)) };
    }
  }
}

type Place = 'transcript' | 'memory';

/** The block that is assembled in a workspace where the case is in every message or in three notes. */
async function assembled(planted: Case, place: Place, now: number): Promise<string> {
  const inMemory = place === 'memory' ? planted.text : 'nothing new';
  const said = place === 'transcript' ? planted.text : 'please';
  const workspace = mkdtempSync(join(tmpdir(), 'secrets-'));
  try {
    mkdirSync(join(workspace, 'memory'));
    writeFileSync(
      join(workspace, 'MEMORY.md'),
      `# Deployment\n\n- the deployment of the reef service: ${inMemory}\n`,
    );
    writeFileSync(
      join(workspace, 'memory', '2026-02-05.md'),
      `# Reef service\n\n## Deployment\n\n${inMemory}\n\n## Decision\n- deployment notes ${inMemory}\n`,
    );
    const say = (role: string, content: string, ago: number): object => ({
      role,
      content,
      timestamp: new Date(now - ago * 60_000).toISOString(),
    });
    const messages = [
      say('user', `the deployment of the reef service fails, ${said}`, 3),
      say('assistant', `I will try ${said}`, 2),
      say('user', `what do we know about the deployment of the reef service? ${said}`, 1),
    ];
    const pad = await openScratchpad({ workspace, now: () => now, env: { HOME: workspace } });
    await pad.assemble({
      messages: { text: JSON.stringify(messages), name: 'planted' },
      utcOffsetMinutes: 660,
    });
    const context = await pad.context();
    return `${readFileSync(pad.path, 'utf8')}\n${context.text}`;
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function report(title: string, tried: number, survivors: readonly [Case, string][]): void {
  process.stdout.write(`${title}: ${tried} tried, ${survivors.length} survived\n`);
  for (const [planted, piece] of survivors.slice(0, 20)) {
    process.stdout.write(`  ${planted.kind}, ${planted.disguise}: ${JSON.stringify(piece.slice(0, 60))}\n`);
  }
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '1' },
    blocks: { type: 'string', default: '400' },
  },
});
const random = randomFrom(Number(values.seed));
const kinds = new Set([...ALONE, ...TOLD].map(([kind]) => kind)).size;
process.stdout.write(
  `seed ${values.seed}: ${kinds} kinds and spellings x ${DISGUISES.length + 1} disguises\n`,
);

const survivedText: [Case, string][] = [];
const all: Case[] = [];
for (let round = 0; round < Number(values.rounds); round++) all.push(...cases(random));
for (const planted of all) {
  const piece = survivor(planted.secret, redactSecrets(planted.text));
  if (piece !== null) survivedText.push([planted, piece]);
}
report('redaction', all.length, survivedText);

const now = Date.UTC(2026, 1, 5, 14, 30);
// Every kind without disguise comes first, then a sample of the disguises.
const ordered = [...all.filter(({ disguise }) => disguise === PLAIN[0]), ...shuffled(all)];
const blocks = ordered.slice(0, Number(values.blocks));
let survivedBlocks = 0;
for (const place of ['transcript', 'memory'] as const) {
  const survivors: [Case, string][] = [];
  let reached = 0;
  for (const one of blocks) {
    const written = await assembled(one, place, now);
    if (written.includes('[redacted: ')) reached++;
    const piece = survivor(one.secret, written);
    if (piece !== null) survivors.push([one, piece]);
  }
  report(`state block and injection, from the ${place}`, blocks.length, survivors);
  process.stdout.write(`  a redaction stands in ${reached} of the blocks, so the secret had come that far\n`);
  survivedBlocks += survivors.length;
}
process.exitCode = survivedText.length + survivedBlocks === 0 ? 0 : 1;

function shuffled(list: readonly Case[]): Case[] {
  return list
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
