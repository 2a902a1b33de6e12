import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type RestRequest, type SendRest } from '@tollgate/contracts';
import axios, { type AxiosInstance } from 'axios';

/** Sends calls over HTTP, and again when that cannot do anything twice. */

const TIMEOUT_MS = 60_000;
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 20_000;

export interface Transport {
  readonly send: SendRest;
  /** The cookie of the last answer that set one. */
  readonly cookie: () => string | undefined;
}

export function createTransport(
  url: string,
  headers: () => Readonly<Record<string, string>>,
): Transport {
  const client = axios.create({
    baseURL: url,
    timeout: TIMEOUT_MS,
    maxContentLength: MOST_ANSWER_BYTES,
    maxRedirects: 0,
    validateStatus: () => true,
  });
  let cookie: string | undefined;
  return {
    cookie: () => cookie,
    send: async (request) => {
      const answer = await attempts(client, url, request, headers());
      cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie;
      return {
        status: answer.status,
        data: answer.data as unknown,
        header: (name) => {
          const value: unknown = answer.headers[name];
          return typeof value === 'string' ? value : undefined;
        },
      };
    },
  };
}

async function attempts(
  client: AxiosInstance,
  url: string,
  request: RestRequest,
  headers: Readonly<Record<string, string>>,
) {
  const repeatable = request.method === 'GET' || 'idempotency-key' in request.headers;
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === ATTEMPTS || !repeatable;
    const pauseMs = FIRST_PAUSE_MS * 2 ** attempt;
    try {
      const answer = await client.request({
        ...request,
        headers: { ...headers, ...request.headers },
      });
      if (last || (answer.status !== 429 && answer.status !== 503)) return answer;
      const asked = Number(answer.headers['retry-after']) * 1_000;
      await pause(Math.min(Number.isNaN(asked) ? pauseMs : asked, MOST_PAUSE_MS));
    } catch (error) {
      if (last) throw unreachable(url, error);
      await pause(pauseMs);
    }
  }
}

function unreachable(url: string, error: unknown): ApiError {
  const reason = axios.isAxiosError(error) ? (error.code ?? error.message) : String(error);
  return new ApiError(0, 'unreachable', `${url} cannot be reached (${reason})`);
}
