import { afterAll, afterEach } from 'vitest';

const AFTER_EACH: (() => void)[] = [];
const AFTER_FILE: (() => void)[] = [];

/** Runs `clean` after each test, of whichever file. */
export function afterEachTest(clean: () => void): void {
  AFTER_EACH.push(clean);
}

/** Runs `clean` at the end of each test file; what was asked for last runs first. */
export function afterEachFile(clean: () => void): void {
  AFTER_FILE.push(clean);
}

/**
 * Test files share their modules, so a helper's own `afterAll` would run for the first file only. The setup file
 * calls this for each.
 */
export function cleanUpAfterwards(): void {
  afterEach(() => {
    for (const clean of AFTER_EACH) clean();
  });
  afterAll(() => {
    for (const clean of [...AFTER_FILE].reverse()) clean();
  });
}
