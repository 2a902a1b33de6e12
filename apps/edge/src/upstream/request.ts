import type { UpstreamHeaders } from '../formats';
import { AWS_EVENT_STREAM } from './aws-event-stream';
import { BETAS } from './body-rules';
import type { UpstreamCall } from './call';
import type { Connection } from './connections';
import type { Endpoint, ProviderRules } from './endpoints';
import type { WrittenPayload } from './payload';

export interface CallParts {
  connection: Connection;
  endpoint: Endpoint;
  providerRules: ProviderRules;
  /** The model's name at the upstream. */
  model: string;
  payload: WrittenPayload;
  stream: boolean;
  /** The client headers that are forwarded. */
  forwarded: Readonly<Record<string, string>>;
  responseLimitBytes: number;
  /** The index of the provider key to use. */
  keyIndex: number;
  /** Timeouts from a routing policy, which replace the provider's. */
  timeouts?: CallTimeouts | undefined;
}

/** Milliseconds; absent: as in the provider's connection. */
export interface CallTimeouts {
  connectMs?: number | undefined;
  idleMs?: number | undefined;
}

export function buildCall(parts: CallParts): UpstreamCall {
  const { connection, providerRules } = parts;
  const { batchPath = parts.endpoint.path } = parts.endpoint;
  const endpoint = parts.payload.batch ? { ...parts.endpoint, path: batchPath } : parts.endpoint;
  return {
    dispatcher: connection.agent,
    origin: connection.origin,
    method: endpoint.method ?? 'POST',
    path: placed(
      providerRules.target(connection, endpoint, parts.model, parts.stream),
      parts.payload.place,
    ),
    headers: headersFor(parts),
    body: parts.payload.body,
    connectTimeoutMs: parts.timeouts?.connectMs,
    firstByteTimeoutMs: connection.timeouts.firstByteMs,
    idleTimeoutMs: parts.timeouts?.idleMs ?? connection.timeouts.idleMs,
    totalTimeoutMs: connection.timeouts.totalMs,
    responseLimitBytes: parts.responseLimitBytes,
  };
}

function placed(target: string, place: WrittenPayload['place']): string {
  if (!place) return target;
  let path = target;
  for (const [name, id] of Object.entries(place.ids)) {
    path = path.replace(`{${name}}`, () => encodeURIComponent(id));
  }
  if (place.query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${place.query}`;
}

function headersFor(parts: CallParts): Record<string, string> {
  const { contentType, contentLength, accept } = parts.payload;
  const headers: Record<string, string> = {
    ...connectionHeaders(parts),
    accept: parts.stream && parts.providerRules.framing ? AWS_EVENT_STREAM : accept,
  };
  if (contentType !== '') headers['content-type'] = contentType;
  if (contentLength !== undefined) headers['content-length'] = String(contentLength);
  const { replacing } = parts.providerRules.forwarded;
  for (const [name, value] of Object.entries(parts.forwarded)) {
    if (name === BETAS && parts.providerRules.body?.betasInBody) continue;
    if (replacing.includes(name) || !(name in parts.connection.headers)) headers[name] = value;
  }
  return headers;
}

const prepared = new WeakMap<Connection, Readonly<Record<string, string>>[]>();

/** The provider's own headers with its credential. Built once per key of a connection, because it is the same for every call. */
export function connectionHeaders({
  connection,
  providerRules,
  keyIndex,
}: Pick<CallParts, 'connection' | 'providerRules' | 'keyIndex'>) {
  let rows = prepared.get(connection);
  if (!rows) {
    const base = { 'user-agent': 'tollgate', ...providerRules.headers, ...connection.headers };
    rows = connection.secrets.map(({ value }, at) => {
      // Its credential is added when the call starts.
      if (connection.identities[at]) return base;
      const [name, text] = providerRules.authorization(value);
      return { ...base, [name]: text };
    });
    if (rows.length === 0) rows.push(base);
    prepared.set(connection, rows);
  }
  return rows[keyIndex];
}

/** The upstream's id of the call, for inquiries with its operator. */
export function upstreamRequestId(headers: UpstreamHeaders): string {
  const id =
    headers['x-request-id'] ??
    headers['request-id'] ??
    headers['apim-request-id'] ??
    headers['x-amzn-requestid'] ??
    '';
  return String(id).slice(0, 128);
}
