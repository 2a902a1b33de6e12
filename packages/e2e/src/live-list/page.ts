import { setTimeout as pause } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';

import { quantile } from '../burst/burst';

export interface PageFigures {
  readonly inputs: number;
  /** From the input until its handlers begin, as the browser's Event Timing tells. */
  readonly delayP50Ms: number;
  readonly delayP99Ms: number;
  readonly delayMostMs: number;
  /** Of JavaScript, each after a garbage collection. */
  readonly heapBytes: readonly number[];
  readonly firstNodes: number;
  readonly lastNodes: number;
  /** In the table at the end. */
  readonly rows: number;
  /** How often the newest row was another one than at the input before. */
  readonly arrivals: number;
}

const ROWS = 'a[href*="/usage/"]';
/** Often enough for a p99, and not so often that the inputs are the load. */
const INPUT_EVERY_MS = 250;
const MEMORY_EVERY_MS = 10_000;
/** Event Timing does not tell events that end sooner; this is the least that browsers accept. */
const LEAST_EVENT_MS = 16;

/** Clicks and types into a page, and returns what it noticed. */
export async function watchPage(
  page: Page,
  { afterSeconds, seconds }: { afterSeconds: number; seconds: number },
): Promise<PageFigures> {
  await pause(afterSeconds * 1_000);
  const cdp = await page.context().newCDPSession(page);
  await page.evaluate(OBSERVE);
  const first = await memoryOf(cdp);
  const end = performance.now() + seconds * 1_000;
  let inputs = 0;
  let arrivals = 0;
  let newest = await newestRow(page);
  const heapBytes = [first.heap];
  while (performance.now() < end) {
    // Keys that change nothing, and a click on the heading.
    await (inputs % 2 === 0 ? page.keyboard.press('Shift') : page.mouse.click(2, 2));
    inputs += 1;
    const now = await newestRow(page);
    if (now !== newest) arrivals += 1;
    newest = now;
    if (performance.now() > end - seconds * 1_000 + heapBytes.length * MEMORY_EVERY_MS) {
      heapBytes.push((await memoryOf(cdp)).heap);
    }
    await pause(INPUT_EVERY_MS);
  }
  const delays = await page.evaluate<number[]>(READ);
  const last = await memoryOf(cdp);
  // Inputs whose events took less than the least are not told, so they count as nothing.
  const quick = Math.max(0, inputs - delays.length);
  const all = [...delays, ...Array.from({ length: quick }, () => 0)];
  return {
    inputs,
    delayP50Ms: quantile(all, 0.5),
    delayP99Ms: quantile(all, 0.99),
    delayMostMs: Math.max(...all),
    heapBytes: [...heapBytes, last.heap],
    firstNodes: first.nodes,
    lastNodes: last.nodes,
    rows: await page.locator(ROWS).count(),
    arrivals,
  };
}

// These run in the page, whose types are not those of Node; so they are texts. An input has several events.
const OBSERVE = `
  globalThis.inputDelays = new Map();
  globalThis.noteInputs = (entries) => {
    for (const { interactionId, processingStart, startTime } of entries) {
      if (interactionId === 0) continue;
      const known = globalThis.inputDelays.get(interactionId) ?? 0;
      globalThis.inputDelays.set(interactionId, Math.max(known, processingStart - startTime));
    }
  };
  globalThis.inputObserver = new PerformanceObserver((list) => globalThis.noteInputs(list.getEntries()));
  globalThis.inputObserver.observe({ type: 'event', durationThreshold: ${LEAST_EVENT_MS} });
`;
const READ = `
  globalThis.noteInputs(globalThis.inputObserver.takeRecords());
  [...globalThis.inputDelays.values()];
`;

async function newestRow(page: Page): Promise<string | null> {
  const rows = page.locator(ROWS);
  return (await rows.count()) === 0 ? null : rows.first().getAttribute('href');
}

async function memoryOf(cdp: CDPSession): Promise<{ heap: number; nodes: number }> {
  await cdp.send('HeapProfiler.collectGarbage');
  await cdp.send('Performance.enable');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name: string): number =>
    metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes') };
}
