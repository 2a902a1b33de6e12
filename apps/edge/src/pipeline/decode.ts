import { gatewayError, pinMatches, ROUTE_FAMILIES, type ProviderType } from '@tollgate/contracts';

import { claimedAttribution, type NamedInBody } from '../attribution';
import { conversationOf } from '../exchange/conversation';
import type { DecodedExchange, Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { DecodeContext } from '../formats';
import { packingOf, parseBody, readBody, readPackedBody, refusePackedForm } from '../intake';
import {
  comesAsForm,
  needsBytes,
  readJob,
  type Job,
  type Received,
  type StoredInlet,
} from '../operations';

/**
 * Receives the body and decodes the request, with its conversation and whom it names. The raw body is released
 * afterwards, because an answer may take minutes.
 * @throws GatewayError `invalid_request`, `invalid_api_key`, `overloaded`; ClientGone
 */
export async function receive(
  gateway: Gateway,
  exchange: Exchange,
  keySha256: Buffer,
): Promise<DecodedExchange> {
  const keyed = Object.assign(exchange, { keySha256 });
  const received = await take(gateway, keyed);
  const job = decode(keyed, received);
  const decoded = Object.assign(keyed, { job, received });
  const conversation = conversationOf(decoded);
  decoded.conversation = conversation?.key;
  decoded.affinity = gateway.affinity && conversation?.cached ? conversation.key : undefined;
  decoded.claimed = claimedAttribution(decoded.req.headers, namedIn(decoded));
  return decoded;
}

// A conversation has been decoded; the fields of other operations are relayed, so they are in the body or form.
function namedIn({ job, received }: DecodedExchange): NamedInBody | undefined {
  const { request } = job;
  if (request?.endUser !== undefined || !received) return request;
  const endUser = userIn(received);
  return endUser === undefined ? request : { endUser, metadata: request?.metadata };
}

const USER_FIELDS = ['user', 'safety_identifier'] as const;

function userIn(received: Received): string | undefined {
  for (const name of USER_FIELDS) {
    const value = 'json' in received ? received.json[name] : formText(received, name);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function formText(received: Received, name: string): string | undefined {
  if (!('form' in received)) return undefined;
  const field = received.form.parts.find((part) => part.kind === 'field' && part.name === name);
  return field?.kind === 'field' ? field.value : undefined;
}

type KeyedExchange = Exchange & Pick<DecodedExchange, 'keySha256'>;

async function take(gateway: Gateway, exchange: KeyedExchange): Promise<Received> {
  const { req, route } = exchange;
  const stored = storedPlace(exchange);
  if (stored && route.model.in === 'stored' && !route.model.body) {
    // The route takes no body, so one that is sent anyway is discarded.
    req.resume();
    return stored;
  }
  if (req.message) {
    exchange.lease = req.message.lease;
    const body = req.message.body();
    exchange.offLoop = body.offLoop;
    return body;
  }
  const { bodyBytes, bodyDepth } = gateway.limits;
  const packing = packingOf(req);
  const lease = (exchange.lease = gateway.bodies.open());
  const confirm = () => confirmKey(gateway, exchange);
  if (comesAsForm(route.operation, req.headers['content-type'] ?? '')) {
    if (packing) refusePackedForm();
    lease.confirm(await confirm());
    const form = (exchange.form = await gateway.uploads.receive(req, lease));
    return { form };
  }
  const options = { limitBytes: bodyBytes, lease, confirm };
  const bytes = await (packing ? readPackedBody(req, packing, options) : readBody(req, options));
  const parsing = parseBody(gateway.json, bytes, {
    maxDepth: bodyDepth,
    dropBytes: !needsBytes(route.operation),
  });
  const body = parsing instanceof Promise ? await parsing : parsing;
  exchange.offLoop = body.offLoop;
  return stored ? { ...stored, body } : body;
}

/**
 * Returns the owner of the body. Authorize still decides what the key may do.
 * @throws GatewayError `invalid_api_key`, `dependency_unavailable`
 */
async function confirmKey({ policy }: Gateway, { keySha256 }: KeyedExchange): Promise<string> {
  if (!(await policy.confirmKey(keySha256))) throw gatewayError('invalid_api_key');
  return keySha256.toString('latin1');
}

/** Decodes the received body into a job. */
export function decode(exchange: Exchange, received: Received): Job {
  const { route, formatName } = exchange;
  const job = readJob(route.operation, formatName, received, contextOf(exchange));
  checkPin(exchange, job);
  return job;
}

/** The stored object that the path, the query and the headers name; undefined: the route has none. */
function storedPlace({ req, route: { model } }: Exchange): StoredInlet | undefined {
  if (model.in !== 'stored' && model.in !== 'header') return undefined;
  const { url = '', params } = req;
  const query = url.indexOf('?');
  const ids = Object.entries(params).map(([name, id]) => [name, String(id)] as const);
  return {
    ids: Object.fromEntries(ids),
    query: query < 0 ? '' : url.slice(query + 1),
    model: model.in === 'header' ? headerText(req, model.name) : '',
  };
}

const MODEL_CHARACTERS = 512;

function headerText({ headers }: Exchange['req'], name: string): string {
  const text = String(headers[name] ?? '').trim();
  if (text.length <= MODEL_CHARACTERS) return text;
  const message = `${name}: must be the name of a model, of at most ${MODEL_CHARACTERS} characters`;
  throw gatewayError('invalid_request', message, { param: name });
}

function contextOf({ route, req }: Exchange): DecodeContext {
  if (route.model.in !== 'path') return {};
  const value = req.params[route.model.parameter];
  // Express splits a wildcard at slashes, which a model's name may contain.
  const model = Array.isArray(value) ? value.join('/') : value;
  if (!model) throw gatewayError('invalid_request', 'The path names no model.', { param: 'model' });
  const { stream, batch = false } = route.model;
  return { model, stream, batch };
}

// On a route that is fixed to a provider, the body cannot select another one.
function checkPin({ route }: Exchange, { provider }: Job): void {
  const fixed: readonly ProviderType[] = ROUTE_FAMILIES[route.family].providerTypes;
  if (provider === undefined || fixed.length === 0) return;
  if (fixed.some((type) => pinMatches(provider, type))) return;
  throw gatewayError('provider_mismatch', undefined, { param: 'provider' });
}
