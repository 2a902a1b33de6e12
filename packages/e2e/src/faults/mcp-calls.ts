import { eventually, newTenant, type Tenant } from '../gateway/tenant';
import { callTool, startedCalls } from '../mcp/client';
import { registerServer, type RegisteredServer } from '../mcp/server';
import { COUNTED_COMMAND, startedByRunner } from './counted-command';
import { pause } from './pause';
import type { Finding, Proof } from './proof';
import type { World } from './world';

// Priced calls of a tool while services are killed and frozen. The server's own count of calls that began
// is compared with the books: each call is charged once, and a hold that nobody ended is charged too.

const CALLERS = 20;
const TOOL_MS = 20;
const PRICE_USD = '0.001';
const PRICE_NANO_USD = 1_000_000n;
/** Calls before, between and after faults. */
const AROUND = 60;
const AWAY_MS = 2_000;
const BACK_OFF_MS = 50;
/** How long records may take to arrive. */
const BOOKED_MS = 60_000;

type Fault = (world: World, served: (count: number) => Promise<void>) => Promise<void>;

const KILLED: Fault = async ({ edges }, served) => {
  for (const edge of edges) {
    await edge.process().stop('SIGKILL');
    await served(AROUND);
    await edge.restart();
  }
};

const FAULTS: Readonly<Record<string, Fault>> = {
  'no fault': (_world, served) => served(AROUND),
  'each edge killed': KILLED,
  'each policy killed': async ({ policies }, served) => {
    for (const policy of policies) {
      await policy.process().stop('SIGKILL');
      await served(AROUND);
      await policy.restart();
    }
  },
  'an edge frozen': async ({ edges: [edge] }) => {
    edge?.process().signal('SIGSTOP');
    await pause(AWAY_MS);
    edge?.process().signal('SIGCONT');
  },
  'all policies frozen': async ({ policies }) => {
    for (const policy of policies) policy.process().signal('SIGSTOP');
    await pause(AWAY_MS);
    for (const policy of policies) policy.process().signal('SIGCONT');
  },
  'each catalog killed': async ({ catalogs }, served) => {
    for (const catalog of catalogs) {
      await catalog.process().stop('SIGKILL');
      await served(AROUND);
      await catalog.restart();
    }
  },
};
/** Of a server that is a process of the runner: what the runner loses, the server has lost. */
const RUNNER_FAULTS: Readonly<Record<string, Fault>> = {
  'the runner killed': async ({ runner }, served) => {
    for (let time = 0; time < 3; time += 1) {
      await runner.process().stop('SIGKILL');
      await pause(BACK_OFF_MS);
      await runner.restart();
      await served(AROUND);
    }
  },
  'the runner frozen': async ({ runner }) => {
    runner.process().signal('SIGSTOP');
    await pause(AWAY_MS);
    runner.process().signal('SIGCONT');
  },
};
const SHORT = ['each edge killed', 'the runner killed'];

export const mcpCalls: Proof = {
  name: 'calls of MCP tools',
  run: async function* run(world, { short }) {
    const chosen = (faults: Readonly<Record<string, Fault>>) =>
      Object.entries(faults).filter(([name]) => !short || SHORT.includes(name));
    for (const [name, fault] of chosen(FAULTS)) {
      yield await findingOf(world, { name, fault, server: overHttp });
    }
    for (const [name, fault] of chosen(RUNNER_FAULTS)) {
      yield await findingOf(world, { name, fault, server: asProcess });
    }
  },
};

interface CountedServer {
  readonly server: RegisteredServer;
  /** Tool runs that have begun. */
  readonly began: () => Promise<number>;
  /** Whether a call that its client saw fail may have begun, and cost nothing. */
  readonly mayFail: boolean;
}
type Register = (world: World, tenant: Tenant) => Promise<CountedServer>;

let runs = 0;

const overHttp: Register = async (world, tenant) => {
  runs += 1;
  const simulated = `faults-${String(runs)}`;
  const over = { simulated, callPriceUsd: PRICE_USD };
  return {
    server: await registerServer(world, tenant, 'tools', over),
    began: () => startedCalls(world.simulatorUrl, simulated),
    mayFail: false,
  };
};

const asProcess: Register = async (world, tenant) => {
  const before = await startedByRunner(world);
  const over = { transport: 'STDIO', command: COUNTED_COMMAND, url: undefined };
  return {
    server: await registerServer(world, tenant, 'tools', { ...over, callPriceUsd: PRICE_USD }),
    began: async () => (await startedByRunner(world)) - before,
    mayFail: true,
  };
};

interface Scenario {
  readonly name: string;
  readonly fault: Fault;
  readonly server: Register;
}

async function findingOf(
  world: World,
  { name, fault, server: register }: Scenario,
): Promise<Finding> {
  const tenant = await newTenant(world);
  const { server, began: count, mayFail } = await register(world, tenant);
  const { key } = await tenant.key({ mcpServerIds: [server.id] });
  const load = startCalls(world, server.path, key);
  const breaches: string[] = [];
  try {
    await load.served(AROUND);
    await fault(world, load.served);
    await load.served(AROUND);
  } catch (error) {
    breaches.push(`during the fault: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { answered, failed } = await load.stop();
  await world.repair();
  const began = await count();
  const booked = await settledBooks(world, tenant, { answered, began });
  const { charged, abandoned, ids, costNanoUsd } = booked;
  const breach = (wrong: boolean, what: string): void => {
    if (wrong) breaches.push(what);
  };
  const missing = answered.filter((id) => !ids.has(id));
  breach(charged > began, `${String(charged)} calls charged, ${String(began)} began`);
  const lost = began - charged - abandoned;
  breach(lost > (mayFail ? failed : 0), `${String(lost)} calls began and were not charged`);
  breach(missing.length > 0, `${String(missing.length)} answered calls have no record`);
  breach(
    costNanoUsd !== BigInt(charged + abandoned) * PRICE_NANO_USD,
    `${String(costNanoUsd)} nano-USD for ${String(charged + abandoned)} calls`,
  );
  breaches.push(...(await world.verify()).breaches);
  return {
    name: `tool calls, ${name}`,
    figures: {
      answered: String(answered.length),
      failed: String(failed),
      began: String(began),
      charged: String(charged),
      abandoned: String(abandoned),
    },
    breaches,
  };
}

interface Calls {
  /** Resolves after this many more answers with a result. */
  readonly served: (count: number) => Promise<void>;
  /** Request ids of the answers with a result, and how many calls ended otherwise. */
  readonly stop: () => Promise<{ readonly answered: readonly string[]; readonly failed: number }>;
}

function startCalls(world: World, path: string, key: string): Calls {
  const answered: string[] = [];
  let failed = 0;
  const over = new AbortController();
  const caller = async (first: number): Promise<void> => {
    let edge = first;
    while (!over.signal.aborted) {
      const url = `${world.edgeUrls[edge % world.edgeUrls.length] ?? ''}${path}`;
      const answer = await callTool(url, key, 'sim_slow', { ms: TOOL_MS }).catch(() => undefined);
      if (answer?.message?.result !== undefined) {
        answered.push(answer.headers.get('x-tollgate-request-id') ?? '');
        continue;
      }
      failed += 1;
      if (answer === undefined) edge += 1;
      await pause(BACK_OFF_MS);
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)));
  return {
    served: async (count) => {
      const enough = answered.length + count;
      await eventually(`${String(count)} more calls`, async () => answered.length >= enough);
    },
    stop: async () => {
      over.abort();
      await callers;
      return { answered, failed };
    },
  };
}

interface Books {
  /** Records with a cost that a settle stated. */
  readonly charged: number;
  /** Records of holds that nobody ended. */
  readonly abandoned: number;
  readonly costNanoUsd: bigint;
  readonly ids: ReadonlySet<string>;
}

/** The tenant's records once nothing is held and all is booked. */
async function settledBooks(
  { pool }: World,
  tenant: Tenant,
  { answered, began }: { answered: readonly string[]; began: number },
): Promise<Books> {
  await eventually(
    'every hold has ended',
    async () => {
      const { rows } = await pool.query<{ held: string }>(
        `SELECT count(*) AS held FROM budget_request WHERE organisation_id = $1 AND state = 'HELD'`,
        [tenant.id],
      );
      return rows[0]?.held === '0';
    },
    90_000,
  );
  const read = () =>
    pool.query<{ id: string; mode: string; cost: string }>(
      `SELECT r.id, CASE WHEN a.id IS NULL THEN r.mode ELSE 'SETTLED' END AS mode,
          r.cost_nano_usd + coalesce(a.cost, 0) AS cost
        FROM usage_record r
        LEFT JOIN (
          SELECT request_id AS id, sum(cost_nano_usd) AS cost FROM usage_adjustment
            WHERE organisation_id = $1 GROUP BY request_id
        ) a ON a.id = r.id
        WHERE r.organisation_id = $1 AND r.operation = 'mcp_call'`,
      [tenant.id],
    );
  let { rows } = await read();
  // Another policy takes over the shards of one that was killed, and the holds of an edge that was killed
  // end with their leases: both take some seconds. What is missing after that is told as a breach.
  const lateMs = performance.now() + BOOKED_MS;
  await eventually(
    'every call is booked',
    async () => {
      const booked = new Set(rows.map(({ id }) => id));
      const all = booked.size >= began && answered.every((id) => booked.has(id));
      if (all || performance.now() > lateMs) return true;
      ({ rows } = await read());
      return false;
    },
    2 * BOOKED_MS,
  );
  await eventually('no more records arrive', async () => {
    await pause(2 * AWAY_MS);
    const before = rows.length;
    ({ rows } = await read());
    return rows.length === before;
  });
  const costly = rows.filter(({ cost }) => cost !== '0');
  return {
    charged: costly.filter(({ mode }) => mode === 'SETTLED').length,
    abandoned: costly.filter(({ mode }) => mode === 'ABANDONED').length,
    costNanoUsd: costly.reduce((sum, { cost }) => sum + BigInt(cost), 0n),
    ids: new Set(rows.map(({ id }) => id)),
  };
}
