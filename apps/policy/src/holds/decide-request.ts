import type {
  AuthorizeReply,
  AuthorizeRequest__Output,
  McpCall__Output,
  PassthroughCall__Output,
} from '@tollgate/contracts/node';

import {
  checkAccess,
  connectionFor,
  inExperiment,
  itemNotFound,
  keyIsValid,
  mcpAccess,
  passthroughAccess,
  shadowAccess,
  type CheckName,
  type Issuer,
  type NoteCheck,
  type Refusal,
  type StoredItems,
} from '../decide';
import {
  askedModel,
  type AskedModel,
  type Directory,
  type KeyPlan,
  type RoutingPlan,
} from '../directory';
import { unavailable } from '../failure';
import { routingFor, whileChosen, type Choose } from '../routing';
import type { Attempt, EncodedTicket } from './allow';
import type { AskDeps, Decided, Question } from './ask';
import type { Deny } from './denied';
import type { Epochs } from './epochs';
import { hold } from './hold';
import type { Issuers } from './issuers';
import { mcpOffer } from './mcp';
import { modelOf, namesItems, priceOf, readFor, storedIn } from './offer';
import { passthroughOffer } from './passthrough';
import type { Seeded, SeedRequest } from './seeding';
import type { StoreTime } from './store-time';

/** What becomes of a decision. */
export interface Answers<R> {
  /** A check refused before any counter was read. */
  readonly refused: (refusal: Refused, plan: KeyPlan | undefined) => R;
  readonly allowed: (
    attempt: Attempt,
    encoded: EncodedTicket,
    outcome: Decided & { kind: 'ALLOW' },
  ) => R;
  /** `reply` has the denial. */
  readonly denied: (
    reply: AuthorizeReply,
    attempt: Attempt,
    encoded: EncodedTicket,
    outcome: Deny,
  ) => R;
}

export type Refused = Refusal & { readonly retryAfterMs?: number };

export interface DecideDeps extends AskDeps {
  readonly directory: Pick<Directory, 'lookup' | 'drop'>;
  readonly epochs: Epochs;
  readonly seed: (request: SeedRequest) => Promise<Seeded>;
  readonly issuers: Pick<Issuers, 'find' | 'findItems'>;
  readonly choose: Choose;
  /** Requests of one key to MCP servers that are no calls, such as lists. */
  readonly mcpRequestsPerMinute: number;
}

export interface Decider<R> extends DecideDeps {
  readonly answers: Answers<R>;
  /** Is told of every check before the limits. */
  readonly note?: NoteCheck | undefined;
  /** The same decider, which also keeps what the decision is made of. Absent: it keeps none. */
  readonly keeping?: (plan: KeyPlan, request: AuthorizeRequest__Output) => Partial<Decider<R>>;
  readonly nameCall: () => string;
  readonly time: StoreTime;
}

/** Decides a request by the rules that authorize and dry runs share; `decider` says what is written. */
export async function decide<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output,
  asked: Question,
): Promise<R> {
  for (let contexts = 0; contexts < 3; contexts += 1) {
    const found = decider.directory.lookup(request.keySha256);
    const plan = found instanceof Promise ? await found : found;
    const reply = await toTarget(deciderFor(decider, request, plan), request, plan, asked);
    if (reply !== undefined) return reply;
    decider.directory.drop({ keySha256: request.keySha256 });
  }
  throw unavailable('catalog', 'the limits of this key keep changing');
}

// Organisations that keep no decisions pay for this comparison. A shadow has no client who would ask.
function deciderFor<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output,
  plan: KeyPlan | undefined,
): Decider<R> {
  if (!plan || plan.keepDecisions === 'OFF' || request.shadowExperimentId !== '') return decider;
  return { ...decider, ...decider.keeping?.(plan, request) };
}

/** `undefined`: as in hold. */
function toTarget<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output,
  plan: KeyPlan | undefined,
  asked: Question,
): Promise<R | undefined> {
  const { mcp, passthrough } = request;
  if (mcp !== null) return toMcpServer(decider, { ...request, mcp }, plan, asked);
  if (passthrough === null) return toModel(decider, request, plan, asked);
  return toProvider(decider, { ...request, passthrough }, plan, asked);
}

/** `undefined`: as in hold. */
async function toModel<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output,
  plan: KeyPlan | undefined,
  asked: Question,
): Promise<R | undefined> {
  const nowMs = decider.time.now();
  if (request.shadowOf !== '') return await toShadow(decider, request, plan, asked);
  const asIs = plan && askedModel(plan, request.model, nowMs);
  const items =
    namesItems(request) && plan && keyIsValid(plan, decider.time.now())
      ? await decider.issuers.findItems(plan, request, asked)
      : undefined;
  // What stored the object decides about the arm of the request that names it.
  const named =
    plan && asIs && storedIn(request).id === ''
      ? inExperiment({ request, plan, named: asIs, nowMs, priceOf, items })
      : asIs;
  const routing = plan && named && routingFor(plan, request, named);
  return plan !== undefined && routing !== undefined && named !== undefined
    ? await routed(decider, request, plan, { routing, items, named }, asked)
    : await direct(decider, request, plan, { items, named, asIs }, asked);
}

/** `undefined`: as in hold. */
async function toShadow<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output,
  plan: KeyPlan | undefined,
  asked: Question,
): Promise<R | undefined> {
  const access = shadowAccess(plan, { request, nowMs: decider.time.now(), priceOf });
  if ('refusal' in access) return decider.answers.refused(access.refusal, access.plan);
  const { model, price } = access;
  const { connectionVersion } = model.entry;
  const candidates = [{ model, price, connectionVersion }];
  return await hold(decider, request, access.plan, { candidates }, asked);
}

/** `undefined`: as in hold. */
async function toMcpServer<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output & { readonly mcp: McpCall__Output },
  plan: KeyPlan | undefined,
  asked: Question,
): Promise<R | undefined> {
  const access = mcpAccess(plan, request.mcp, decider.time.now());
  if ('refusal' in access || plan === undefined) {
    if (!('refusal' in access)) throw new Error('a request without a key passed the checks');
    noteAccess(decider, 'mcp_access', access.refusal);
    return decider.answers.refused(access.refusal, plan);
  }
  noteAccess(decider, 'mcp_access');
  const mcp = mcpOffer(request, plan, access.server, decider.mcpRequestsPerMinute);
  return await hold(decider, request, plan, { candidates: [], mcp }, asked);
}

function noteAccess({ note }: Decider<unknown>, name: CheckName, refusal?: Refusal): void {
  if (refusal?.code === 'invalid_api_key') return;
  note?.('key', true);
  note?.(name, refusal === undefined);
}

/** `undefined`: as in hold. */
async function toProvider<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output & { readonly passthrough: PassthroughCall__Output },
  plan: KeyPlan | undefined,
  asked: Question,
): Promise<R | undefined> {
  const access = passthroughAccess(plan, request.passthrough, decider.time.now());
  if ('refusal' in access || plan === undefined) {
    if (!('refusal' in access)) throw new Error('a request without a key passed the checks');
    noteAccess(decider, 'passthrough', access.refusal);
    return decider.answers.refused(access.refusal, plan);
  }
  noteAccess(decider, 'passthrough');
  const passthrough = passthroughOffer(request.passthrough, plan, access);
  return await hold(decider, request, plan, { candidates: [], passthrough }, asked);
}

/** `undefined`: as in hold. */
async function direct<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output,
  plan: KeyPlan | undefined,
  {
    asIs,
    items,
    named: assigned,
  }: {
    /** What the name stands for without an experiment. */
    asIs: AskedModel | undefined;
    items: StoredItems | undefined;
    named: AskedModel | undefined;
  },
  asked: Question,
): Promise<R | undefined> {
  const stored = storedIn(request).id !== '';
  const issuer =
    plan && stored ? await issuerOf(decider, plan, request, asked.deadlineAtMs) : undefined;
  const atMs = decider.time.now();
  // The arm that made what the request continues.
  const named =
    plan && asIs && issuer
      ? inExperiment({ request, plan, named: asIs, nowMs: atMs, priceOf, issuer, items })
      : assigned;
  const model = plan && named && modelOf(plan, request, issuer, { named, nowMs: atMs });
  const price = model && priceOf(model, atMs);
  const { note } = decider;
  const byName = request.model === '' ? undefined : named;
  const ask = { request, nowMs: atMs, plan, model, price, issuer, items, note, named: byName };
  const refusal = checkAccess(ask);
  if (refusal !== undefined || plan === undefined || model === undefined) {
    if (refusal === undefined) throw new Error('a request without a model passed the checks');
    return decider.answers.refused(refusal, plan);
  }
  const connectionVersion = connectionFor(model, issuer, items);
  const candidates = [{ model, price, connectionVersion }];
  const readTokens = readFor(request, issuer, items);
  const { arm, retirement } = named ?? {};
  const offer = { candidates, issuer, readTokens, retirement, arm };
  return await hold(decider, request, plan, offer, asked);
}

/** `undefined`: as in hold. */
async function routed<R>(
  decider: Decider<R>,
  request: AuthorizeRequest__Output,
  plan: KeyPlan,
  {
    routing,
    items,
    named,
  }: { routing: RoutingPlan; items: StoredItems | undefined; named: AskedModel },
  asked: Question,
): Promise<R | undefined> {
  if (items?.refused !== undefined) {
    decider.note?.('stored_items', false);
    return decider.answers.refused(itemNotFound(items.refused), plan);
  }
  const atMs = decider.time.now();
  const { arm, model, retirement } = named;
  const chosen = await decider.choose(routing, {
    request,
    nowMs: atMs,
    plan,
    model,
    named,
    price: model && priceOf(model, atMs),
    priceOf: (candidate) => priceOf(candidate, atMs),
    note: decider.note,
  });
  if ('refusal' in chosen) return decider.answers.refused(chosen.refusal, plan);
  const { choice } = chosen;
  return await whileChosen(choice, (onHeld) =>
    hold(
      decider,
      request,
      plan,
      { candidates: choice.candidates, choice, onHeld, retirement, arm },
      asked,
    ),
  );
}

// Only for valid keys: other callers must not learn what exists.
async function issuerOf(
  decider: Decider<unknown>,
  plan: KeyPlan,
  request: AuthorizeRequest__Output,
  deadlineAtMs: number,
): Promise<Issuer | undefined> {
  if (!keyIsValid(plan, decider.time.now())) return undefined;
  const { id, renew } = storedIn(request);
  return await decider.issuers.find(plan, id, { deadlineAtMs, renew });
}
