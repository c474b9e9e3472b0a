import { existsSync } from 'node:fs';

/** Where a machine has Chromium; Playwright's own is never downloaded. */
const PLACES = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const CHROMIUM = PLACES.find((place) => place !== '' && existsSync(place));

if (CHROMIUM === undefined) {
  console.warn('NOT TESTED: the page in a browser. Install one (apt-get install chromium) or set CHROMIUM.');
}
