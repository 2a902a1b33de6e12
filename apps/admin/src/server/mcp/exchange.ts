import {
  Client,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type JsonSchemaValidatorResult,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import type { Logger } from '@tollgate/kit';
import { z } from 'zod';

import {
  MAX_TOOLS,
  type CallAnswer,
  type McpAnswer,
  type McpFailure,
  type McpQuestion,
  type ToolsAnswer,
} from '../../api/mcp-playground';
import { createWatchedFetch, type Seen, type WatchedFetch } from './watched-fetch';

// One exchange with an MCP server through the gateway: connect, list or call, end the session. It speaks
// both eras of the protocol, as the official client does.

const MAX_PAGES = 20;
/** All answers of one exchange together. */
export const ANSWER_LIMIT_BYTES = 4 * 1024 * 1024;
const LIST_MS = 30_000;
/** Longer tools belong into an application. */
const CALL_MS = 300_000;
/** Ending a session is a courtesy to the server. */
const END_MS = 2_000;

export interface ExchangeDeps {
  readonly edgeUrl: string;
  readonly fetch: typeof fetch;
  readonly log: Logger;
  readonly now: () => number;
}

/** Rejects when the gateway cannot be reached, or when `signal` aborts. */
export async function exchangeMcp(
  deps: ExchangeDeps,
  question: McpQuestion,
  key: string,
  signal: AbortSignal,
): Promise<McpAnswer> {
  const watched = createWatchedFetch(deps.fetch, ANSWER_LIMIT_BYTES);
  const { server } = question;
  const transport = new StreamableHTTPClientTransport(
    new URL(`${deps.edgeUrl.replace(/\/$/, '')}/v1/mcp/${server}`),
    {
      fetch: watched.fetch,
      requestInit: {
        headers: { authorization: `Bearer ${key}` },
        redirect: 'error',
        cache: 'no-store',
      },
    },
  );
  const client = newClient();
  const limitMs = question.action === 'call' ? CALL_MS : LIST_MS;
  const options: RequestOptions = {
    signal: AbortSignal.any([signal, watched.signal]),
    timeout: limitMs,
    maxTotalTimeout: limitMs,
  };
  try {
    await client.connect(transport, { ...options, timeout: LIST_MS });
    return question.action === 'call'
      ? await call(client, question, options, watched, deps.now)
      : await tools(client, options, watched.seen);
  } catch (error) {
    return failureOf(error, watched.seen, signal);
  } finally {
    await end(client, transport, deps.log);
  }
}

function newClient(): Client {
  return new Client(
    { name: 'tollgate-console', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      // The page shows what the tool returns, also where it contradicts its own schema. Schemas of
      // foreign servers are not compiled here.
      jsonSchemaValidator: { getValidator: acceptAll },
    },
  );
}

function acceptAll<T>(): (data: unknown) => JsonSchemaValidatorResult<T> {
  return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
}

async function tools(client: Client, options: RequestOptions, seen: Seen): Promise<ToolsAnswer> {
  const listed: ToolsAnswer['tools'] = [];
  let cursor: string | undefined;
  let page = 0;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: 'tools/list', params }, options);
    for (const { name, title, description, inputSchema } of result.tools) {
      listed.push({ name, title: title ?? null, description: description ?? null, inputSchema });
    }
    cursor = result.nextCursor;
    page += 1;
  } while (cursor !== undefined && page < MAX_PAGES && listed.length < MAX_TOOLS);
  return {
    kind: 'tools',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
    tools: listed.slice(0, MAX_TOOLS),
    truncated: cursor !== undefined || listed.length > MAX_TOOLS,
    requestId: seen.requestId,
  };
}

const block = z.record(z.string(), z.unknown());

async function call(
  client: Client,
  question: Extract<McpQuestion, { action: 'call' }>,
  options: RequestOptions,
  { seen }: WatchedFetch,
  now: () => number,
): Promise<CallAnswer | McpFailure> {
  const startedMs = now();
  const { tool: name, arguments: given } = question;
  const result = await client.callTool(
    { name, arguments: given },
    { ...options, allowInputRequired: true },
  );
  const { requestId, costUsd } = seen;
  if (isInputRequiredResult(result)) return { ...NO_FAILURE, ...ASKS_FOR_INPUT, requestId };
  return {
    kind: 'call',
    content: result.content.map((one) => block.parse(one)),
    ...(result.structuredContent === undefined
      ? {}
      : { structuredContent: result.structuredContent }),
    isError: result.isError === true,
    requestId,
    costUsd,
    durationMs: now() - startedMs,
  };
}

const NO_FAILURE = { kind: 'failure', rpcCode: null, status: 200 } as const;

const ASKS_FOR_INPUT = {
  code: 'input_required',
  message: 'The tool asks for more input during the call. The playground cannot give it.',
};

const gatewayData = z.object({ code: z.string() });

/** What failed, as precisely as it is known. @throws the error when nothing came from the gateway */
function failureOf(error: unknown, seen: Seen, signal: AbortSignal): McpFailure {
  const { requestId } = seen;
  if (signal.aborted) throw error;
  if (seen.tooLarge) {
    const message = `The answer is larger than ${String(ANSWER_LIMIT_BYTES / 1024 / 1024)} MiB.`;
    return { ...NO_FAILURE, code: 'answer_too_large', message, requestId };
  }
  if (seen.refusal !== undefined) {
    const { status, code, message, rpcCode } = seen.refusal;
    if (rpcCode === ProtocolErrorCode.MissingRequiredClientCapability) {
      return { kind: 'failure', ...ASKS_FOR_INPUT, rpcCode, status, requestId };
    }
    return { kind: 'failure', code: code ?? 'rpc_error', message, rpcCode, status, requestId };
  }
  if (error instanceof ProtocolError) {
    const data = gatewayData.safeParse(error.data);
    const code = data.success ? data.data.code : 'rpc_error';
    return { ...NO_FAILURE, code, message: error.message, rpcCode: error.code, requestId };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const message = 'The server did not answer in time.';
    return { ...NO_FAILURE, code: 'timeout', message, requestId };
  }
  if (seen.unreachable || !(error instanceof SdkError)) throw error;
  return { ...NO_FAILURE, code: 'unexpected_answer', message: error.message, requestId };
}

/** Ends a session of the earlier revisions; later ones have none. */
async function end(
  client: Client,
  transport: StreamableHTTPClientTransport,
  log: Logger,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_MS);
  });
  try {
    await Promise.race([transport.terminateSession(), late]);
  } catch (error) {
    log.debug('a session of an MCP server was not ended', { error });
  } finally {
    clearTimeout(timer);
    await client.close();
  }
}
