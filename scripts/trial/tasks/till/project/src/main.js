import { readFileSync } from 'node:fs';
import { receipt } from './receipt.js';

console.log(receipt(JSON.parse(readFileSync(process.argv[2], 'utf8'))));
