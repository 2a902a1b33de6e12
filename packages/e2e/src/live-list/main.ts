import { parseArgs } from 'node:util';

import { runMain, whole } from '../command-line';
import { signIn, visit } from '../console/test-support/visitor';
import { offer, type Sent } from '../faults/offered';
import { browserBinary, openBrowser } from '../gateway/browser';
import { startGateway, undo, type Gateway } from '../gateway/gateway';
import { newTenant } from '../gateway/tenant';
import { watchPage, type PageFigures } from './page';

// `npm run live-list`: the console's live list of requests while many come, in a real browser. It fails
// if the page answers input late or if its memory grows.

const HELP = `npm run live-list -- [options]
  --rate N      requests a second (200)
  --seconds N   how long (60)
`;

/** The goals of the console: how late a handler of input may begin, and what may grow in a minute. */
const MOST_INPUT_DELAY_MS = 100;
const MOST_GROWTH = 1.1;
/** Until the list holds as many rows as it ever does. */
const SETTLING_SECONDS = 10;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '60' },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: false,
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const rate = whole('rate', values.rate, 1);
  const seconds = whole('seconds', values.seconds, 1);
  const binary = browserBinary();
  if (binary === undefined) throw new Error('needs Chromium');
  const cleanup: (() => Promise<unknown>)[] = [];
  try {
    const gateway = await startGateway({ admin: true, ownDeadlines: true });
    cleanup.push(gateway.stop);
    const browser = await openBrowser(binary);
    cleanup.push(() => browser.close());
    return await look(gateway, browser, { rate, seconds });
  } finally {
    await undo(cleanup);
  }
}

async function look(
  gateway: Gateway,
  browser: Awaited<ReturnType<typeof openBrowser>>,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<number> {
  const tenant = await newTenant(gateway);
  const { key } = await tenant.key();
  const visitor = await visit(browser);
  const { page, complaints } = visitor;
  await signIn(visitor, gateway, gateway.superAdmin, `/${tenant.slug}/dashboard`);
  await page.goto(`${gateway.adminUrl}/${tenant.slug}/usage?tab=requests&live=on`);
  await page.getByText('Live', { exact: true }).last().waitFor();
  const all = seconds + SETTLING_SECONDS;
  const [sent, figures] = await Promise.all([
    offer({
      urls: [gateway.edgeUrl()],
      key,
      body: { model: 'chat', messages: [{ role: 'user', content: 'hello' }] },
      count: rate * all,
      overMs: all * 1_000,
    }),
    watchPage(page, { afterSeconds: SETTLING_SECONDS, seconds }),
  ]);
  return report(sent, figures, complaints());
}

function report(sent: readonly Sent[], page: PageFigures, complaints: readonly string[]): number {
  const answered = sent.filter(({ status }) => status === 200).length;
  const [firstHeap = 0, lastHeap = 0] = [page.heapBytes.at(0), page.heapBytes.at(-1)];
  const growth = lastHeap / firstHeap;
  const mib = (bytes: number): string => (bytes / 1_048_576).toFixed(1);
  const lines = [
    `sent ${sent.length}, answered ${answered}`,
    `rows in the page ${page.rows}, seen arriving ${page.arrivals}`,
    `inputs ${page.inputs}, delay p50 ${page.delayP50Ms.toFixed(1)} ms, p99 ${page.delayP99Ms.toFixed(1)}, most ${page.delayMostMs.toFixed(1)} (goal ${MOST_INPUT_DELAY_MS})`,
    `heap after collections, MiB: ${page.heapBytes.map(mib).join(', ')} (× ${growth.toFixed(2)}, goal ${MOST_GROWTH})`,
    `elements ${page.firstNodes}, then ${page.lastNodes}`,
    ...complaints.map((one) => `the browser says: ${one}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  const faults = [
    answered < sent.length ? 'requests failed' : '',
    page.inputs === 0 ? 'no input was seen' : '',
    page.arrivals === 0 ? 'no row arrived' : '',
    page.delayMostMs > MOST_INPUT_DELAY_MS ? 'input is answered late' : '',
    growth > MOST_GROWTH ? 'memory grows' : '',
    complaints.length > 0 ? 'errors in the browser' : '',
  ].filter((fault) => fault !== '');
  process.stdout.write(faults.length === 0 ? 'met\n' : `missed: ${faults.join(', ')}\n`);
  return faults.length === 0 ? 0 : 1;
}

runMain(main);
