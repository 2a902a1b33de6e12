// A gateway with every upstream, and the calls of the matrix's cells.

import {
  newTenant,
  recordOf,
  startGateway,
  type Gateway,
  type GatewayOptions,
  type Tenant,
} from '../..';
import {
  createRecorder,
  type Attempt,
  type Conversation,
  type Part,
  type Refusal,
  type Sdk,
  type Settings,
} from './sdk';
import { SDKS } from './sdks';
import { UPSTREAMS, type Upstream } from './upstreams';

export interface MatrixOptions {
  /** Whether the OpenAI routes may serve the other vendors' models (default: yes). */
  readonly openCompatRoutes?: boolean;
  /** Directives for the simulator, by the suffix of the models' names. */
  readonly models: Readonly<Record<string, string>>;
  /** Further providers, one of every kind of upstream, by the suffix of their models. */
  readonly providers?: Readonly<Record<string, ExtraProvider>>;
  readonly gateway?: GatewayOptions;
}

export interface ExtraProvider {
  /** Replaces the simulator's address. */
  readonly url?: string;
  readonly settings?: object;
  readonly directives?: string;
}

export interface Received {
  readonly path: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** One conversation through the gateway, as seen at both ends. */
export interface Talk extends Conversation {
  readonly attempts: readonly Attempt[];
  /** The upstream's requests since the conversation started. */
  received(): Promise<readonly Received[]>;
  /** The error that a request raises, as an application sees it. */
  refusal(parts?: readonly Part[]): Promise<Refusal>;
  /** The gateway's id of the last request, which its record has too. */
  requestId(): string;
}

export interface UsageRecord {
  readonly model: string;
  readonly outcome: string;
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly stopReason: string | null;
  readonly stream: boolean;
  readonly usageQuality: string;
  readonly tokens: Readonly<Record<string, number>>;
}

export interface Matrix {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly key: string;
  readonly modelIds: readonly string[];
  readonly upstreamKey: string;
  /** The booked usage; waits for the record. */
  recordOf(requestId: string): Promise<UsageRecord>;
  talk(sdk: Sdk, settings: Settings, over?: TalkOptions): Promise<Talk>;
}

export interface TalkOptions {
  readonly key?: string;
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Cell {
  readonly sdk: Sdk;
  readonly upstream: Upstream;
  readonly stream: boolean;
}

/** Every SDK with every upstream, unary and streamed, each with its name. */
export const CELLS: readonly (readonly [name: string, cell: Cell])[] = SDKS.flatMap((sdk) =>
  UPSTREAMS.flatMap((upstream) =>
    [false, true].map((stream) => {
      const name = `${sdk.name} × ${upstream.name}, ${stream ? 'streamed' : 'at once'}`;
      return [name, { sdk, upstream, stream }] as const;
    }),
  ),
);

/** The cells of one upstream, for decisions before an upstream call. */
export const CLIENT_CELLS = CELLS.filter(([, { upstream }]) => upstream === UPSTREAMS[0]).map(
  ([, { sdk, stream }]) =>
    [`${sdk.name}, ${stream ? 'streamed' : 'at once'}`, { sdk, stream }] as const,
);

export function modelOf(upstream: Upstream, kind: string): string {
  return `${upstream.name}-${kind}`;
}

export async function startMatrix(options: MatrixOptions): Promise<Matrix> {
  const gateway = await startGateway(options.gateway);
  try {
    return await setUp(gateway, options);
  } catch (error) {
    await gateway.stop();
    throw error;
  }
}

async function setUp(gateway: Gateway, options: MatrixOptions): Promise<Matrix> {
  const { openCompatRoutes = true, models, providers = {} } = options;
  const tenant = await newTenant(gateway, { organisation: { openCompatRoutes } });
  const upstreamKey = `sk-sim-${tenant.slug}`;
  const modelIds: string[] = [];
  for (const upstream of UPSTREAMS) {
    await add(upstream, upstream.name, models);
    for (const [kind, { directives = '', ...extra }] of Object.entries(providers)) {
      await add(upstream, modelOf(upstream, kind), { [kind]: directives }, extra);
    }
  }
  const { key } = await tenant.key({ modelIds });
  const booked = async (requestId: string): Promise<UsageRecord> =>
    (await recordOf(gateway, tenant, requestId)) as UsageRecord;
  return { gateway, tenant, key, modelIds, upstreamKey, recordOf: booked, talk };

  async function add(
    upstream: Upstream,
    name: string,
    models: MatrixOptions['models'],
    { url = gateway.simulatorUrl, settings = {} }: ExtraProvider = {},
  ): Promise<void> {
    const { path, ...rest } = upstream.provider;
    const { id } = await tenant.create('providers', {
      name,
      baseUrl: `${url}${path}`,
      apiKey: upstreamKey,
      ...rest,
      ...settings,
    });
    for (const [kind, directives] of Object.entries(models)) {
      const upstreamModel = [upstream.model, directives].filter((word) => word !== '').join('.');
      const more = { providerId: id };
      modelIds.push(await tenant.model(modelOf(upstream, kind), upstreamModel, more));
    }
  }

  async function talk(sdk: Sdk, settings: Settings, over: TalkOptions = {}): Promise<Talk> {
    const requests = `${gateway.simulatorUrl}/_sim/requests`;
    await fetch(requests, { method: 'DELETE' });
    const { fetch: recording, attempts } = createRecorder();
    const client = sdk.open({ url: gateway.edgeUrl(), key, fetch: recording, ...over });
    const conversation = client.converse(settings);
    return {
      ...conversation,
      attempts,
      refusal: async (parts = ['Hello there']) => {
        const asked = conversation.ask(parts);
        const said = await asked.catch((error: unknown) => sdk.refusalOf(error));
        if ('text' in said) throw new Error(`answered instead: ${said.text}`);
        return said;
      },
      received: async () => {
        const answer = await fetch(`${requests}?apiKey=${upstreamKey}`);
        return ((await answer.json()) as { data: Received[] }).data;
      },
      requestId: () => attempts.at(-1)?.headers.get('x-tollgate-request-id') ?? '',
    };
  }
}
