import { lookup } from 'node:dns/promises';
import { credentials, Metadata, status, type ChannelCredentials } from '@grpc/grpc-js';
import {
  literalAddress,
  portOf,
  ScreeningClient,
  type CheckReply__Output,
  type CheckStreamReply__Output,
  type CheckStreamRequest,
  type CheckStreamStart,
} from '@tollgate/contracts/node';
import { withDeadline } from '@tollgate/kit';
import {
  readTollgateAnswer,
  ServiceAnswerError,
  type Check,
  type ServiceVerdict,
} from '@tollgate/screening';

import type { CheckStream, CheckStreamReader } from '../../exchange/screening';

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

/** Answers that one service judges piece by piece at once; more count as failed. */
const MOST_STREAMS = 256;
/** For the service to end a call whose pieces are all answered. */
const CLOSE_MS = 5_000;

/** Asks over gRPC, `tollgate.screening.v1.Screening`. */
export function createGrpcAsk(service: GrpcService) {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(service.headers)) metadata.set(name, value);
  let connecting: Promise<ScreeningClient> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let users = 0;
  let streams = 0;

  const drop = async (client: Promise<ScreeningClient>): Promise<void> => {
    if (connecting === client) connecting = undefined;
    try {
      (await client).close();
    } catch {
      // It was never open: its own caller has the error.
    }
  };
  const take = (): Promise<ScreeningClient> => {
    clearTimeout(idle);
    users += 1;
    if (connecting) return connecting;
    const opened = connect(service);
    connecting = opened;
    // The next check tries again.
    opened.catch(() => {
      if (connecting === opened) connecting = undefined;
    });
    return opened;
  };
  const give = (used: Promise<ScreeningClient>): void => {
    users -= 1;
    if (users > 0) return;
    clearTimeout(idle);
    idle = setTimeout(() => void drop(used), IDLE_MS).unref();
  };
  /** What a service says may have texts of the request. */
  const nameless = (error: unknown, used: Promise<ScreeningClient>): Error => {
    // The name may have another address by now.
    if (isUnreachable(error)) void drop(used);
    return new Error(`no verdict: ${nameOf(error)}`);
  };

  const ask = async (check: Check, timeoutMs: number): Promise<ServiceVerdict> => {
    const deadline = Date.now() + timeoutMs;
    const used = take();
    try {
      const client = await withDeadline(used, timeoutMs, 'the name of the service');
      const reply = await checkOnce(client, check, { deadline, metadata });
      return readTollgateAnswer(withParameters(reply), check);
    } catch (error) {
      throw nameless(error, used);
    } finally {
      give(used);
    }
  };

  const openStream = (start: CheckStreamStart, on: CheckStreamReader): CheckStream => {
    if (streams >= MOST_STREAMS) return refusedStream(on, `${streams} answers are judged`);
    const used = take();
    streams += 1;
    const ended = (): void => {
      streams -= 1;
      give(used);
    };
    return runStream(
      used,
      { start, metadata, ended },
      {
        ...on,
        failed: (error) => on.failed(nameless(error, used)),
      },
    );
  };

  return { ask, openStream };
}

function refusedStream(on: CheckStreamReader, reason: string): CheckStream {
  let over = false;
  const end = (): void => {
    over = true;
  };
  queueMicrotask(() => {
    if (!over) on.failed(new Error(reason));
  });
  return { send: () => undefined, close: end, cancel: end };
}

interface StreamParts {
  readonly start: CheckStreamStart;
  readonly metadata: Metadata;
  /** The call is over. */
  readonly ended: () => void;
}

function runStream(
  client: Promise<ScreeningClient>,
  { ended, metadata, start }: StreamParts,
  on: CheckStreamReader,
): CheckStream {
  let call: ReturnType<ScreeningClient['checkStream']> | undefined;
  let waiting: CheckStreamRequest[] = [{ start }];
  /** Its reader hears nothing any more. */
  let over = false;
  let closing: NodeJS.Timeout | undefined;
  const failed = (error: unknown): void => {
    if (over) return;
    over = true;
    on.failed(error as Error);
  };
  const end = once(() => {
    clearTimeout(closing);
    ended();
  });
  const open = (opened: ScreeningClient): void => {
    if (over) return end();
    call = opened.checkStream(metadata);
    call.on('data', (reply: CheckStreamReply__Output) => {
      if (!over) on.reply(reply);
    });
    call.on('error', failed);
    call.on('end', () => failed(new Error('the service ended the call')));
    call.on('status', end);
    for (const message of waiting) call.write(message);
    waiting = [];
  };
  client.then(open, (error: unknown) => {
    end();
    failed(error);
  });
  return {
    // Pieces without an answer are few, so neither this nor the call's own buffer grows.
    send: (piece) => {
      if (call) call.write({ piece });
      else waiting.push({ piece });
    },
    close: () => {
      over = true;
      call?.end();
      closing = setTimeout(() => call?.cancel(), CLOSE_MS).unref();
    },
    cancel: () => {
      over = true;
      call?.cancel();
    },
  };
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
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
  return { ...reply, parameters: parsed(parametersJson) };
}

/** The parser's own error quotes the text, which may be of the request. */
function parsed(parametersJson: string): unknown {
  try {
    return JSON.parse(parametersJson) as unknown;
  } catch {
    throw new ServiceAnswerError('parameters_json is no JSON');
  }
}

function isUnreachable(error: unknown): boolean {
  return (error as { code?: unknown }).code === status.UNAVAILABLE;
}

function nameOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message: string };
  return typeof code === 'number' ? (status[code] ?? String(code)) : message;
}
