import { createHash } from 'node:crypto';
import { mcpOperationOf, shardOf } from '@tollgate/contracts';
import {
  emptySettle,
  type AliasEntry__Output,
  type AuthorizeRequest__Output,
  type KeyContext,
  type KeyContext__Output,
  type Limit__Output,
  type McpCall__Output,
  type McpServerEntry__Output,
  type ModelEntry__Output,
  type ModelRetirement__Output,
  type OrganisationContext__Output,
  type PassthroughCall__Output,
  type PassthroughProvider__Output,
  type Price__Output,
  type ResolveKeysReply__Output,
  type ScreeningEntry__Output,
  type ServerTool__Output,
  type SettleRequest__Output,
} from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

// Contexts and requests for tests: plain defaults, and every field can be changed.

export const ORG = 'org-1';
export const SUBJECT = {
  organisationId: ORG,
  teamId: 'team-1',
  userId: 'user-1',
  apiKeyId: 'key-1',
  apiKeyName: 'a key',
  apiKeyType: 'USER',
  organisationSlug: 'org',
} as const;

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** $1 per million tokens in, $2 out: 1,000 and 2,000 nano-USD a token. */
export function price(changes: Partial<Price__Output> = {}): Price__Output {
  return {
    priceId: 'price-1',
    effectiveFromMs: 0,
    steps: [
      {
        fromInputTokens: 0,
        input: '1000000000',
        cacheRead: '100000000',
        cacheWrite5m: '1000000000',
        cacheWrite1h: '1000000000',
        audioInput: '1000000000',
        imageInput: '1000000000',
        output: '2000000000',
        audioOutput: '2000000000',
        imageOutput: '2000000000',
      },
    ],
    perRequestNanoUsd: '0',
    perUnitNanoUsd: {},
    tierPercent: {},
    ...changes,
  };
}

export function model(changes: Partial<ModelEntry__Output> = {}): ModelEntry__Output {
  return {
    modelId: 'model-1',
    name: 'small',
    type: 'chat',
    upstreamModel: 'upstream-small',
    providerId: 'provider-1',
    providerType: 'PROVIDER_A',
    providerLabel: 'provider_a',
    upstreamFormat: 'openai',
    providerActive: true,
    connectionVersion: 1,
    contextTokens: 100_000,
    defaultMaxOutputTokens: 500,
    granted: true,
    prices: [price()],
    createdAtMs: 0,
    displayName: '',
    maxOutputTokens: 0,
    capabilities: '',
    maxToolCalls: 0,
    nativeResponses: false,
    region: '',
    regionFromVersion: 1,
    allowedRegions: [],
    retirement: null,
    ...changes,
  };
}

/** An alias of the first model. */
export function alias(changes: Partial<AliasEntry__Output> = {}): AliasEntry__Output {
  return {
    aliasId: 'alias-1',
    name: 'assistant',
    displayName: '',
    createdAtMs: 0,
    targets: [{ modelId: 'model-1', effectiveFromMs: 0 }],
    retirement: null,
    ...changes,
  };
}

/** The announced end of a model, without its instants. */
export function retirement(
  changes: Partial<ModelRetirement__Output> = {},
): ModelRetirement__Output {
  return {
    deprecatedAtMs: 0,
    sunsetAtMs: 0,
    replacementModelId: '',
    onSunset: 'REFUSE',
    url: '',
    ...changes,
  };
}

/** A web search that the request does not bound. */
export function serverTool(changes: Partial<ServerTool__Output> = {}): ServerTool__Output {
  return {
    unit: 'web_search',
    param: 'tools[0]',
    maxCalls: 0,
    sharesBound: false,
    inputTokensPerCall: 0,
    readsInput: false,
    upstreams: [],
    ...changes,
  };
}

/** One cent a call. */
export function mcpServer(changes: Partial<McpServerEntry__Output> = {}): McpServerEntry__Output {
  return {
    serverId: 'server-1',
    identifier: 'tools',
    connectionVersion: 1,
    callNanoUsd: '10000000',
    toolNanoUsd: {},
    chargeFailures: false,
    rules: null,
    pins: [],
    region: '',
    ...changes,
  };
}

/** GET is free; POST costs one cent, and $1 per megabyte each way. */
export function passthroughProvider(
  changes: Partial<PassthroughProvider__Output> = {},
): PassthroughProvider__Output {
  const rule = {
    path: '/v1/voices/*',
    callNanoUsd: '0',
    requestMegabyteNanoUsd: '0',
    responseMegabyteNanoUsd: '0',
    maxRequestBytes: 0,
    maxResponseBytes: 1_000,
  };
  return {
    providerId: 'provider-1',
    name: 'voices',
    providerType: 'CUSTOM',
    upstreamFormat: 'openai',
    connectionVersion: 3,
    region: '',
    rules: [
      { ...rule, method: 'GET' },
      {
        ...rule,
        method: 'POST',
        callNanoUsd: '10000000',
        requestMegabyteNanoUsd: '1000000000',
        responseMegabyteNanoUsd: '1000000000',
        maxRequestBytes: 2_000,
      },
    ],
    ...changes,
  };
}

/** A call of the endpoint that costs money, with 500 bytes. */
export function passthroughAsk(
  call: Partial<PassthroughCall__Output> = {},
  changes: Partial<AuthorizeRequest__Output> = {},
): AuthorizeRequest__Output {
  return ask({
    model: '',
    operation: 'passthrough',
    inputTokensEstimate: 0,
    maxOutputTokens: 0,
    route: '/v1/passthrough/:provider/*path',
    family: '',
    passthrough: {
      provider: 'voices',
      method: 'POST',
      path: '/v1/voices/anna',
      requestBytes: 500,
      unknownLength: false,
      ...call,
    },
    ...changes,
  });
}

/** The first version of a screening policy. */
export function screeningEntry(
  policyId: string,
  ...attachedTo: (readonly [scopeType: string, scopeId: string])[]
): ScreeningEntry__Output {
  return {
    policyId,
    version: 1,
    attachedTo: attachedTo.map(([scopeType, scopeId]) => ({ scopeType, scopeId })),
    services: [],
  };
}

/** A call of the tool `search`. */
export function mcpAsk(
  call: Partial<McpCall__Output> = {},
  changes: Partial<AuthorizeRequest__Output> = {},
): AuthorizeRequest__Output {
  const { method = 'tools/call' } = call;
  return ask({
    model: '',
    operation: mcpOperationOf(method),
    inputTokensEstimate: 0,
    maxOutputTokens: 0,
    route: '/v1/mcp/:identifier',
    family: '',
    mcp: { server: 'tools', method, name: 'search', ...call },
    ...changes,
  });
}

export function limit(changes: Partial<Limit__Output> = {}): Limit__Output {
  return {
    limitId: 'limit-1',
    kind: 'BUDGET',
    metric: 'COST',
    scopeType: 'ORGANISATION',
    scopeId: ORG,
    period: 'MONTHLY',
    windowSeconds: 0,
    limit: '1000000000',
    mode: 'HARD',
    clamp: false,
    ...changes,
  };
}

export function context(
  changes: Partial<KeyContext__Output> = {},
): KeyContext__Output & KeyContext {
  return {
    subject: SUBJECT,
    active: true,
    inactiveReason: '',
    expiresAtMs: 0,
    timeZone: 'UTC',
    openCompatRoutes: false,
    tellUpstreamModel: false,
    outputBoundUnsent: false,
    traceContent: false,
    keepDecisions: '',
    allowedRegions: [],
    trustedAttribution: true,
    tagKeys: [],
    refuseUnknownTags: false,
    responseCache: null,
    keptBodies: null,
    routeCompatRequests: false,
    models: [model()],
    aliases: [],
    experiments: [],
    valueLimits: [],
    limits: [],
    mcpServerIds: [],
    mcpGrants: [],
    mcpServers: [],
    screening: [],
    passthrough: [],
    passthroughProviderIds: [],
    shard: shardOf(changes.subject?.organisationId ?? ORG),
    routingEnabled: false,
    routingPolicy: null,
    ...changes,
  };
}

/** The catalog's reply for keys with these contexts; `undefined`: there is no such key. */
export function resolved(
  contexts: readonly (KeyContext__Output | undefined)[],
  outboxSeq = 0,
  knownDigests: readonly Buffer[] = [],
): ResolveKeysReply__Output {
  const organisations: OrganisationContext__Output[] = [];
  const keys = contexts.map((whole) => {
    const key = {
      found: whole !== undefined,
      context: null,
      organisation: 0,
      grantedModelIds: [],
      modelGrants: [],
    };
    if (whole === undefined) return key;
    const common = commonOf(whole, knownDigests);
    const known = organisations.findIndex(({ digest }) => digest.equals(common.digest));
    if (known === -1) organisations.push(common);
    return {
      ...key,
      context: {
        ...whole,
        models: [],
        aliases: [],
        experiments: [],
        mcpServers: [],
        screening: [],
        passthrough: [],
        limits: whole.limits.filter(({ scopeType }) => !isCommon(scopeType)),
      },
      organisation: known === -1 ? organisations.length - 1 : known,
      grantedModelIds: whole.models.filter(({ granted }) => granted).map(({ modelId }) => modelId),
    };
  });
  return { keys, organisations, outboxSeq };
}

function commonOf(
  whole: KeyContext__Output,
  knownDigests: readonly Buffer[],
): OrganisationContext__Output {
  const models = whole.models.map((entry) => ({ ...entry, granted: false }));
  const limits = whole.limits.filter(({ scopeType }) => isCommon(scopeType));
  const { aliases, experiments, mcpServers, passthrough, screening } = whole;
  const content = [aliases, experiments, models, limits, mcpServers, screening, passthrough];
  const digest = sha256(JSON.stringify(content)).subarray(0, 16);
  const known = knownDigests.some((other) => other.equals(digest));
  return known
    ? {
        digest,
        known,
        models: [],
        aliases: [],
        experiments: [],
        limits: [],
        mcpServers: [],
        screening: [],
        passthrough: [],
      }
    : {
        digest,
        known,
        models,
        aliases,
        experiments,
        limits,
        mcpServers,
        screening,
        passthrough,
      };
}

function isCommon(scopeType: string): boolean {
  return ['ORGANISATION', 'MODEL', 'MCP_SERVER'].includes(scopeType);
}

export const KEY = sha256('tg_test');

export function ask(changes: Partial<AuthorizeRequest__Output> = {}): AuthorizeRequest__Output {
  return {
    requestId: uuidv7(),
    keySha256: KEY,
    trace: Buffer.alloc(0),
    affinity: Buffer.alloc(0),
    conversation: Buffer.alloc(0),
    claimed: null,
    contextCompacted: false,
    conversationContinues: false,
    model: 'small',
    operation: 'chat',
    providerPin: '',
    allowedProviderTypes: [],
    inputTokensEstimate: 100,
    maxOutputTokens: 50,
    choices: 1,
    stream: false,
    clientRequestId: '',
    requiredCapabilities: '',
    unitsEstimate: {},
    serverTools: [],
    serviceTiers: [],
    route: '/v1/llm/chat',
    family: 'unified',
    previousResponseId: '',
    conversationId: '',
    storedId: '',
    itemIds: [],
    replayedItemIds: [],
    audioInputTokensEstimate: 0,
    outputTokensEstimate: 0,
    addedTokens: 0,
    textOutput: false,
    mcp: null,
    passthrough: null,
    shadowOf: '',
    shadowExperimentId: '',
    resent: false,
    ...changes,
  };
}

export function settled(
  requestId: string,
  holdToken: Buffer,
  changes: Partial<SettleRequest__Output> = {},
): SettleRequest__Output {
  return {
    ...emptySettle(),
    requestId,
    holdToken,
    outcome: 'COMPLETED',
    usage: {
      input: 100,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      imageInput: 0,
      output: 20,
      audioOutput: 0,
      imageOutput: 0,
      reasoning: 0,
    },
    usageQuality: 'EXACT',
    costNanoUsd: '140000',
    modelId: 'model-1',
    providerId: 'provider-1',
    priceId: 'price-1',
    httpStatus: 200,
    latencyMs: 12,
    upstreamMs: 10,
    stopReason: 'stop',
    ...changes,
  };
}
