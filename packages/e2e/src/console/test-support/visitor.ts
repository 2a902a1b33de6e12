import type { Browser, BrowserContext, Page, Request } from 'playwright-core';

import { eventually, type Account, type Gateway } from '../..';
import { STREAMED } from '../../gateway/browser';

// A user of the console in a separate browser, which records every error.

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The browser's errors since the last call, one per line. */
  readonly complaints: () => string[];
  /** Opens an address, and returns its status once the page has its data. */
  readonly open: (url: string) => Promise<number>;
  /** Waits until no request is pending. */
  readonly settled: () => Promise<void>;
}

/** Generous, because a page may be slow on a busy machine. */
const PATIENCE_MS = 90_000;

export async function visit(
  browser: Browser,
  options: { readonly locale?: string } = {},
): Promise<Visitor> {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const seen: string[] = [];
  const running = new Set<Request>();
  page.on('pageerror', (error) => seen.push(error.message));
  page.on('console', (message) => {
    // A failed request is recorded below, with its status.
    const told = message.text();
    if (message.type() === 'error' && !told.startsWith('Failed to load resource')) seen.push(told);
  });
  page.on('response', (answer) => {
    const { pathname } = new URL(answer.url());
    if (answer.status() >= 400) {
      seen.push(`${String(answer.status())} ${answer.request().method()} ${pathname}`);
    }
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) running.clear();
  });
  page.on('request', (request) => running.add(request));
  page.on('requestfinished', (request) => running.delete(request));
  page.on('requestfailed', (request) => {
    running.delete(request);
    const why = request.failure()?.errorText ?? 'failed';
    // Leaving a page aborts its pending requests, which is not an error.
    if (why !== 'net::ERR_ABORTED') seen.push(`${why} ${request.method()} ${request.url()}`);
  });
  const settled = async (): Promise<void> => {
    const coming = page.getByRole('status', { name: /^Loading/ }).or(page.locator(STREAMED));
    const quiet = async (): Promise<boolean> =>
      running.size === 0 && (await coming.count()) === 0 && running.size === 0;
    await eventually(`${page.url()} has all that it shows`, quiet);
  };
  return {
    context,
    page,
    complaints: () => seen.splice(0),
    open: async (url) => {
      const answer = await page.goto(url);
      await settled();
      return answer?.status() ?? 0;
    },
    settled,
  };
}

/** Signs in on the sign-in page, and arrives at `path`. */
export async function signIn(
  { page, open, settled }: Visitor,
  { adminUrl }: Pick<Gateway, 'adminUrl'>,
  { email, password }: Account,
  path: string,
): Promise<void> {
  await open(`${adminUrl}/login?next=${encodeURIComponent(path)}`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${adminUrl}${path}`);
  await settled();
}
