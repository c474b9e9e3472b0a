import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { cleanUpAfterwards } from './cleanup.ts';
import { USER } from './run-cli.ts';

// The verdict on a submission must not depend on the draw: there every run tries the same cases. Local runs go
// on looking for new ones.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_122 });

// Never the state folder of the person who runs the tests.
process.env.XDG_STATE_HOME = join(USER, 'state');

// Test files share their process: what one sets is not there for the next.
const environment = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
cleanUpAfterwards();
