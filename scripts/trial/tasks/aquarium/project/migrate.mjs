/** Runs the steps in migrations/ that data/tanks.json does not have yet: each exports up(tanks) and gives the new tanks. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const done = existsSync('data/done.json') ? JSON.parse(readFileSync('data/done.json', 'utf8')) : [];
let tanks = JSON.parse(readFileSync('data/tanks.json', 'utf8'));
for (const name of existsSync('migrations') ? readdirSync('migrations').sort() : []) {
  if (done.includes(name)) continue;
  tanks = (await import(`./migrations/${name}`)).up(tanks);
  done.push(name);
  console.log(`ran ${name}`);
}
writeFileSync('data/tanks.json', `${JSON.stringify(tanks, null, 1)}\n`);
writeFileSync('data/done.json', `${JSON.stringify(done)}\n`);
