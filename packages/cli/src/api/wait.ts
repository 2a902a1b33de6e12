import { setTimeout as pause } from 'node:timers/promises';
import { rest } from '@tollgate/contracts';
import axios from 'axios';

/** Waits for an installation that is starting, as a bootstrap job has to. */

const PAUSE_MS = 1_000;
const ASK_MS = 5_000;
export const MOST_WAIT_SECONDS = 3_600;

export async function waitUntilReady(
  url: string,
  waitMs: number,
  pauseMs = PAUSE_MS,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const fault = await faultOf(url);
    if (fault === undefined) return;
    if (performance.now() + pauseMs > deadline) {
      throw new Error(`${url} is not ready after ${String(waitMs / 1_000)} seconds (${fault})`);
    }
    await pause(pauseMs);
  }
}

async function faultOf(url: string): Promise<string | undefined> {
  try {
    const { status } = await axios.get(`${url}${rest.getHealth.path}`, {
      timeout: ASK_MS,
      maxRedirects: 0,
      validateStatus: () => true,
    });
    return status === 200 ? undefined : `status ${String(status)}`;
  } catch (error) {
    return axios.isAxiosError(error) ? (error.code ?? error.message) : String(error);
  }
}
