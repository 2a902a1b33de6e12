// Serves one model request: checks key, body and model in that order, then applies faults that
// precede an answer, then answers.

import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

import type { BillBook } from './bill';
import { isForm, parseBody, summaryOf } from './body';
import type { CloudName, Clouds } from './clouds';
import { deliver, failureOf } from './delivery';
import { readDirectives, type Directives } from './directives';
import { headerOf } from './family';
import { readBody, sendBody, watchClient, type Client } from './http';
import { textOf } from './json';
import type { Memory } from './memory';
import type { ReceivedRequests } from './received';
import { invalid, isProblem, type Call, type Problem } from './reply';
import type { Route } from './routes';

export interface Books {
  bill: BillBook;
  received: ReceivedRequests;
  memory: Memory;
  clouds: Clouds;
}

export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  query: URLSearchParams,
) => Promise<void>;

const TOO_LARGE: Problem = { status: 413, code: 'too_large', message: 'The body is too large.' };

export function createServe({ bill, clouds, memory, received }: Books): Serve {
  // Ids differ between runs, so that answers of two runs cannot be confused.
  const run = randomBytes(4).toString('hex');
  let calls = 0;

  return async (request, response, route, query) => {
    calls += 1;
    const id = `sim-${run}-${calls}`;
    const { requestId } = route.family;
    if (requestId !== undefined) response.setHeader(requestId, `req_${id}`);
    const refuse = (problem: Problem, directives: Directives = {}): void => {
      const error = route.family.error(problem, directives, `req_${id}`);
      sendProblem(response, problem.status, route.listed ? [error] : error, directives);
    };
    const bytes = await readBody(request);
    if (bytes === undefined) return refuse(TOO_LARGE);
    const { headers, method = '', url: path = '' } = request;
    const parsed = await parseBody(bytes, headers);
    const cloud = route.cloud ?? ofEntra(headers);
    const apiKey =
      cloud === undefined
        ? route.family.key(headers, query)
        : (clouds.accept(cloud, { method, url: path, headers, body: bytes }) ?? '');
    const named = route.model ?? textOf(parsed?.body['model']);
    const model = named || (route.usualModel ?? '');
    const body = parsed === undefined ? bytes.toString('utf8') : summaryOf(parsed);
    const size = isForm(headers) ? JSON.stringify(body).length : bytes.length;
    received.keep({ method, path, model, apiKey, headers, body }, size);

    if (apiKey === '' || apiKey.startsWith('bad')) return refuse(route.family.badKey(apiKey));
    if (parsed === undefined)
      return refuse(invalid('The body is not JSON.', undefined, 'invalid_json'));
    if (model === '' && route.ids === undefined)
      return refuse(invalid('A model is required.', 'model', 'missing'));

    const directives = readDirectives(model, headerOf(request, 'x-sim-directives'));
    const call: Call = {
      id,
      atS: Math.floor(Date.now() / 1000),
      model,
      apiKey,
      ...parsed,
      headers,
      query,
      ids: route.ids ?? {},
      charge: (line) => bill.charge(line),
      directives,
      memory,
    };
    const client = watchClient(response);
    if (directives.head) response.setHeader('x-sim-padding', 'x'.repeat(directives.head));
    if (await failedFirst(call, client, response, (problem) => refuse(problem, directives))) return;
    if (directives['too-long'] && !failsInStream(route, call)) {
      return refuse(route.family.tooLong(directives), directives);
    }
    const reply = route.operation(call);
    if (isProblem(reply)) return refuse(reply, directives);
    const refuseLater = (problem: Problem): void => refuse(problem, directives);
    const exchange = { call, reply, response, client, bill, refuse: refuseLater };
    await deliver({ ...exchange, operation: route.name });
  };
}

/** A key of Azure's is any text; a token of Entra's is one that was issued. */
function ofEntra({ authorization = '' }: IncomingHttpHeaders): CloudName | undefined {
  return authorization.startsWith('Bearer sim-azure-') ? 'azure' : undefined;
}

/** OpenAI's responses have begun before the prompt is measured. */
function failsInStream({ name }: Route, { body, directives }: Call): boolean {
  if (name !== 'responses' || directives.vllm) return false;
  return body['stream'] === true || body['background'] === true;
}

/** Applies faults that precede an answer; true: there is no answer. */
async function failedFirst(
  call: Call,
  client: Client,
  response: ServerResponse,
  refuse: (problem: Problem) => void,
): Promise<boolean> {
  const { directives } = call;
  if (directives.reset) {
    response.socket?.resetAndDestroy();
    return true;
  }
  if (directives['slow-first-byte'] !== undefined) await client.wait(directives['slow-first-byte']);
  if (directives.timeout) {
    await client.left();
    return true;
  }
  const status = directives.status ?? (failsYet(call) ? 503 : undefined);
  if (status !== undefined) refuse(failureOf(status));
  return status !== undefined || client.gone();
}

function failsYet({ apiKey, directives, memory, model }: Call): boolean {
  const wanted = directives['fail-first'];
  if (wanted === undefined) return false;
  const key = `${apiKey} ${model}`;
  const failed = memory.failures.get(key) ?? 0;
  if (failed >= wanted) return false;
  memory.failures.set(key, failed + 1);
  return true;
}

function sendProblem(
  response: ServerResponse,
  status: number,
  error: object,
  directives: Directives,
): void {
  const wait = directives['retry-after'];
  const headers = wait === undefined ? {} : { 'retry-after': String(wait) };
  sendBody(response, status, JSON.stringify(error), headers);
}
