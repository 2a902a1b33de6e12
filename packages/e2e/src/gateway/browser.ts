import { existsSync } from 'node:fs';

import { type Browser, chromium } from 'playwright-core';

const BINARIES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where a real browser is; undefined when there is none, which REQUIRE_REAL makes an error. */
export function browserBinary(): string | undefined {
  const found = BINARIES.find((path) => existsSync(path));
  if (found === undefined && process.env['REQUIRE_REAL'] === '1') {
    throw new Error(`no browser: looked for ${BINARIES.join(', ')}`);
  }
  return found;
}

/** A headless browser that calls nobody but the page it is given. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
