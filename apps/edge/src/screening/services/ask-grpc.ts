import { lookup } from 'node:dns/promises';
import { credentials, Metadata, status, type ChannelCredentials } from '@grpc/grpc-js';
import {
  literalAddress,
  portOf,
  ScreeningClient,
  type CheckReply__Output,
} from '@tollgate/contracts/node';
import { readTollgateAnswer, type Check, type ServiceVerdict } from '@tollgate/screening';

export interface GrpcService {
  readonly ca: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mayConnect: (address: string, port: number) => boolean;
  readonly url: URL;
}

/** Of one reply. */
const REPLY_BYTES = 4 * 1024 * 1024;
/** How long a connection stays open without a check, after which the name is resolved again. */
const IDLE_MS = 300_000;

/** Asks over gRPC, `tollgate.screening.v1.Screening`. */
export function createGrpcAsk(service: GrpcService) {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(service.headers)) metadata.set(name, value);
  let connecting: Promise<ScreeningClient> | undefined;
  let idle: NodeJS.Timeout | undefined;

  const drop = async (client: Promise<ScreeningClient>): Promise<void> => {
    if (connecting === client) connecting = undefined;
    try {
      (await client).close();
    } catch {
      // It was never open: its own caller has the error.
    }
  };

  return async (check: Check, timeoutMs: number): Promise<ServiceVerdict> => {
    const deadline = Date.now() + timeoutMs;
    clearTimeout(idle);
    connecting ??= connect(service);
    const used = connecting;
    try {
      const reply = await checkOnce(await used, check, { deadline, metadata });
      return readTollgateAnswer(withParameters(reply), check);
    } catch (error) {
      // The name may have another address by now.
      if (isUnreachable(error)) void drop(used);
      // oxlint-disable-next-line preserve-caught-error -- what a service says may have texts of the request.
      throw new Error(`no verdict: ${nameOf(error)}`);
    } finally {
      clearTimeout(idle);
      idle = setTimeout(() => void drop(used), IDLE_MS).unref();
    }
  };
}

/** The address is checked after its resolution, and used as it was checked. */
async function connect({ ca, mayConnect, url }: GrpcService): Promise<ScreeningClient> {
  const port = portOf(url);
  const { hostname } = url;
  const literal = literalAddress(hostname);
  const found =
    literal === undefined ? await lookup(hostname, { all: true }) : [{ address: literal }];
  const allowed = found.find(({ address }) => mayConnect(address, port));
  if (!allowed) throw new Error(`${hostname} has no address that may be connected to`);
  const { address } = allowed;
  const host = address.includes(':') ? `[${address}]` : address;
  // The certificate is of the name, not of the address.
  const named = literal === undefined ? { 'grpc.ssl_target_name_override': hostname } : {};
  return new ScreeningClient(`${host}:${port}`, credentialsOf(url, ca), {
    'grpc.max_receive_message_length': REPLY_BYTES,
    'grpc.enable_http_proxy': 0,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
    'grpc.default_authority': url.host,
    'grpc.enable_channelz': 0,
    ...named,
  });
}

function credentialsOf({ protocol }: URL, ca: string): ChannelCredentials {
  if (protocol === 'http:') return credentials.createInsecure();
  return credentials.createSsl(ca === '' ? null : Buffer.from(ca));
}

function checkOnce(
  client: ScreeningClient,
  check: Check,
  { deadline, metadata }: { readonly deadline: number; readonly metadata: Metadata },
): Promise<CheckReply__Output> {
  return new Promise((resolve, reject) => {
    const { model, parameters, requestId, routeTo = [], rule, texts } = check;
    const parametersJson = parameters === undefined ? '' : JSON.stringify(parameters);
    client.check(
      {
        requestId,
        rule,
        texts: [...texts],
        parametersJson,
        model: model ?? '',
        routeTo: [...routeTo],
      },
      metadata,
      { deadline },
      (error, reply) => {
        if (error) reject(error);
        else if (reply) resolve(reply);
        else reject(new Error('the reply is empty'));
      },
    );
  });
}

/** As over HTTP, where parameters are an object. */
function withParameters({ parametersJson, ...reply }: CheckReply__Output): unknown {
  if (parametersJson === '') return reply;
  return { ...reply, parameters: JSON.parse(parametersJson) as unknown };
}

function isUnreachable(error: unknown): boolean {
  return (error as { code?: unknown }).code === status.UNAVAILABLE;
}

function nameOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message: string };
  return typeof code === 'number' ? (status[code] ?? String(code)) : message;
}
