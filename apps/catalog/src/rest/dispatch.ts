import { randomUUID } from 'node:crypto';
import { restError, type rest } from '@tollgate/contracts';
import type { KeyRing } from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';
import { json, type Request, type Response } from 'express';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';

import { recordChanges, type Change } from '../audit';
import { authorise } from './access';
import type { Access, Actor, ActorOrganisation, Call, PublicCall, Route } from './call';
import { cookiesOf } from './cookies';
import { isDownload, sendDownload } from './download';
import { etagOf, matches, unchanged } from './etag';
import { isEventStream, sendEvents } from './event-stream';
import { createIdempotency, idempotencyKeyOf, type Repeatable } from './idempotency';
import type { OriginOf } from './origin';
import { parsePart } from './validation';

const BODY_LIMIT = '1mb';
const MAX_USER_AGENT = 300;

export interface DispatchDeps {
  readonly orm: DataSource;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  /** The caller behind an Authorization header; throws 401. */
  readonly authenticate: (header: string | undefined) => Promise<Actor>;
  readonly originOf: OriginOf;
}

interface Parsed {
  params: Record<string, string>;
  query: unknown;
  body: unknown;
}

interface Signed {
  readonly actor: Actor;
  readonly access: Access;
  readonly organisation: ActorOrganisation | undefined;
}

interface Outcome {
  readonly status: number;
  readonly body: unknown;
}

/** One call, as its steps pass it on. */
interface Inbound {
  readonly route: Route;
  readonly request: Request;
  readonly response: Response;
  readonly parsed: Parsed;
  /** Undefined for a route that is open to everybody. */
  readonly signed: Signed | undefined;
}

/**
 * The steps of one call: authenticate → authorise → validate → run (a change in one transaction
 * with its audit event and its news) → answer.
 */
export function createDispatch(deps: DispatchDeps) {
  const idempotency = createIdempotency(deps.keyRing);

  return async function dispatch(
    route: Route,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { endpoint } = route;
    const params = pathParams(request);
    const signed = route.open ? undefined : await signIn(deps, endpoint, request, params);
    response.locals['signedIn'] = signed !== undefined;
    await readBody(request, response);
    const parsed: Parsed = {
      params,
      query: parsePart(endpoint.query, request.query),
      body: parsePart(endpoint.body, bodyOf(endpoint, request)),
    };
    const inbound: Inbound = { route, request, response, parsed, signed };
    const outcome =
      endpoint.method === 'GET' || route.open || route.detached === true
        ? await run(deps, inbound, deps.orm.manager, refuseChange)
        : await change(deps, idempotency, inbound);
    await answer(endpoint, request, response, outcome, signed?.actor);
  };
}

async function signIn(
  deps: DispatchDeps,
  endpoint: rest.Endpoint,
  request: Request,
  params: Record<string, string>,
): Promise<Signed> {
  const actor = await deps.authenticate(request.headers.authorization);
  assertIds(params);
  const allowed = await authorise(deps.orm.manager, actor, endpoint, params);
  return { actor, ...allowed };
}

async function change(
  deps: DispatchDeps,
  idempotency: ReturnType<typeof createIdempotency>,
  inbound: Inbound,
): Promise<Outcome> {
  const { request, response, signed } = inbound;
  const repeatable = repeatableOf(inbound, deps.clock.now());
  return deps.orm.transaction(async (tx) => {
    const replay = repeatable && (await idempotency.begin(tx, repeatable));
    if (replay !== undefined) {
      response.setHeader('idempotency-replayed', 'true');
      return replay;
    }
    const changes: Change[] = [];
    const outcome = await run(deps, inbound, tx, (one) => void changes.push(one));
    if (repeatable !== undefined) await idempotency.finish(tx, repeatable, outcome);
    const actor = signed?.actor ?? null;
    await recordChanges(tx, { actor, ...requestOrigin(deps, request, response) }, changes);
    return outcome;
  });
}

function repeatableOf(
  { route: { endpoint }, request, parsed, signed }: Inbound,
  nowMs: number,
): Repeatable | undefined {
  if (!endpoint.idempotent || signed === undefined) return undefined;
  const key = idempotencyKeyOf(request.get('idempotency-key'));
  if (key === undefined) return undefined;
  return {
    userId: signed.actor.id,
    key,
    method: endpoint.method,
    path: request.path,
    body: parsed.body,
    secret: endpoint.secret,
    nowMs,
  };
}

async function run(
  deps: DispatchDeps,
  { route, request, response, parsed, signed }: Inbound,
  db: EntityManager,
  changed: (change: Change) => void,
): Promise<Outcome> {
  const { endpoint } = route;
  const { requestId, remoteAddress } = requestOrigin(deps, request, response);
  let status: number = endpoint.status;
  const common: PublicCall = {
    endpoint,
    ...parsed,
    db,
    requestId,
    remoteAddress,
    userAgent: request.get('user-agent')?.slice(0, MAX_USER_AGENT) ?? null,
    nowMs: deps.clock.now(),
    cookies: cookiesOf(request.headers.cookie),
    encrypted: deps.originOf(request).encrypted,
    setHeader: (name, value) => void response.setHeader(name, value),
    setStatus: (other) => {
      status = other;
    },
    changed,
  };
  const body = await (route.open
    ? route.handle(common)
    : route.handle(signedCall(common, signed, request)));
  return { status, body };
}

function signedCall(common: PublicCall, signed: Signed | undefined, request: Request): Call {
  if (signed === undefined) throw new Error(`${common.endpoint.id} ran without a signed-in caller`);
  const { actor, access, organisation } = signed;
  return {
    ...common,
    actor,
    access,
    get organisation(): ActorOrganisation {
      if (organisation === undefined) throw new Error(`${common.endpoint.id} has no organisation`);
      return organisation;
    },
    expectMatch(current) {
      if (!matches(request.get('if-match'), current)) throw restError('precondition_failed');
    },
  };
}

const parseJson = json({ limit: BODY_LIMIT, strict: true, type: () => true });

/** Reads the body after the caller is known, so that anonymous bodies are never buffered. */
function readBody(request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    parseJson(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(bodyFailure(error));
    });
  });
}

/** A decompression error is answered without the parser's own message. */
function bodyFailure(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the body cannot be read');
  const packed = 'status' in error && error.status === 400 && !('type' in error);
  return packed
    ? restError(
        'malformed_request',
        'The body cannot be decompressed as its Content-Encoding says.',
      )
    : error;
}

function refuseChange(change: Change): never {
  throw new Error(`${change.action} outside a transaction`);
}

async function answer(
  endpoint: rest.Endpoint,
  request: Request,
  response: Response,
  { status, body }: Outcome,
  actor: Actor | undefined,
): Promise<void> {
  response.setHeader('cache-control', endpoint.secret ? 'no-store' : 'private, no-cache');
  if (status === 204 || status === 302) {
    response.status(status).end();
    return;
  }
  if (isEventStream(body)) {
    await sendEvents(response, body, actor?.id ?? '');
    return;
  }
  if (isDownload(body)) {
    const owner = actor?.organisation?.id ?? actor?.id ?? '';
    await sendDownload(response, status, endpoint.produces, body, owner);
    return;
  }
  if (endpoint.etag) {
    const tag = etagOf(body);
    response.setHeader('etag', tag);
    if (endpoint.method === 'GET' && unchanged(request.get('if-none-match'), tag)) {
      response.status(304).end();
      return;
    }
  }
  response.status(status).json(body);
}

function pathParams(request: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.params).map(([name, value]) => [name, String(value).toLowerCase()]),
  );
}

/** Every path parameter is an id: 404 for anything else. */
function assertIds(params: Record<string, string>): void {
  if (!Object.values(params).every((value) => z.uuid().safeParse(value).success)) {
    throw restError('not_found');
  }
}

/** An endpoint without a body accepts an empty body or object, which some clients send. */
function bodyOf(endpoint: rest.Endpoint, request: Request): unknown {
  const body: unknown = request.body;
  if (endpoint.body.safeParse(undefined).success) {
    const empty = typeof body === 'object' && body !== null && Object.keys(body).length === 0;
    return empty ? undefined : body;
  }
  // A missing body is validated as an empty object, so that all required fields are reported.
  return body ?? {};
}

/** Assigns the request id, before anything else is done. */
export function giveRequestId(response: Response): void {
  response.setHeader('x-request-id', randomUUID());
}

export function requestOrigin(
  { originOf }: Pick<DispatchDeps, 'originOf'>,
  request: Request,
  response: Response,
): { requestId: string; remoteAddress: string } {
  return {
    requestId: String(response.getHeader('x-request-id')),
    remoteAddress: originOf(request).address,
  };
}
