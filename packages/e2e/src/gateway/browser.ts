import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const BINARIES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a real browser; undefined without one, which REQUIRE_REAL makes an error. */
export function browserBinary(): string | undefined {
  const found = BINARIES.find((path) => existsSync(path));
  if (found === undefined && process.env['REQUIRE_REAL'] === '1') {
    throw new Error(`no browser: looked for ${BINARIES.join(', ')}`);
  }
  return found;
}

/**
 * Streamed content that React has not moved to its place yet; until then an element may appear
 * twice.
 */
export const STREAMED = 'div[hidden][id^="S:"]';

/**
 * A headless browser that contacts only the page's own origin. Navigating, reloading and waiting
 * for a URL also wait until all streamed content is in its place.
 */
export async function openBrowser(executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({
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
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => withWholePages(await newContext(options));
  return browser;
}

function withWholePages(context: BrowserContext): BrowserContext {
  const newPage = context.newPage.bind(context);
  context.newPage = async () => wholePage(await newPage());
  return context;
}

function wholePage(page: Page): Page {
  const [goto, reload, waitForURL] = [
    page.goto.bind(page),
    page.reload.bind(page),
    page.waitForURL.bind(page),
  ];
  const whole = () => page.locator(STREAMED).first().waitFor({ state: 'detached' });
  page.goto = async (url, options) => {
    const answer = await goto(url, options);
    await whole();
    return answer;
  };
  page.reload = async (options) => {
    const answer = await reload(options);
    await whole();
    return answer;
  };
  page.waitForURL = async (url, options) => {
    await waitForURL(url, options);
    await whole();
  };
  return page;
}
