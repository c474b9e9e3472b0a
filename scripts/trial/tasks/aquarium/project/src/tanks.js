import { readFileSync } from 'node:fs';

export const load = (file = 'data/tanks.json') => JSON.parse(readFileSync(file, 'utf8'));

/** One line for each tank. */
export const list = (tanks) => tanks.map((tank) => `${tank.name}: ${tank.gallons} gal`);
