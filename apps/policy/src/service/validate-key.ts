import { windowAt } from '@tollgate/contracts';
import type {
  GrantedModel,
  LimitState,
  ValidateKeyReply,
  ValidateKeyRequest__Output,
} from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';

import {
  denialOf,
  keyIsValid,
  limitStateOf,
  regionServes,
  tightestFirst,
  unknownStateOf,
  type Reading,
} from '../decide';
import {
  askedModel,
  familiesOf,
  isPastSunset,
  limitsOf,
  modelsOf,
  type AliasPlan,
  type Directory,
  type KeyPlan,
  type ModelPlan,
  type PlannedLimit,
} from '../directory';
import { Failure, invalidArgument } from '../failure';
import { counterKind, type HeldLimit, type Seeded, type SeedRequest } from '../holds';
import { listedPolicy } from '../routing';
import type { Store, StoredCounter } from '../store';

export interface ValidateKeyDeps {
  readonly directory: Pick<Directory, 'lookup'>;
  readonly store: Pick<Store, 'readCounters'>;
  readonly seed: (request: SeedRequest) => Promise<Seeded>;
  readonly clock: Clock;
}

/**
 * Says whom a key belongs to, what it may use and what is left of every limit. Takes no hold and
 * counts nothing. Only the directory can refuse a key; if the directory or the store is
 * unreachable, the call fails.
 */
export function createValidateKey(deps: ValidateKeyDeps) {
  return async (
    request: ValidateKeyRequest__Output,
    deadlineAtMs: number,
  ): Promise<ValidateKeyReply> => {
    if (request.keySha256.length !== 32) throw invalidArgument('key_sha256: must be 32 bytes');
    const plan = await deps.directory.lookup(request.keySha256);
    if (plan === undefined || !keyIsValid(plan, deps.clock.now())) {
      const denial = denialOf({ code: 'invalid_api_key' }, plan?.subject ?? null);
      return { valid: false, denial };
    }
    return {
      valid: true,
      subject: plan.subject,
      models: grantedModels(plan, deps.clock.now()),
      mcpServerIds: [...plan.mcpServerIds],
      limits: await limitStates(deps, plan, deadlineAtMs),
      expiresAtMs: plan.expiresAtMs,
    };
  };
}

// Without models that no request of the key may use, because of their region or their end. Aliases follow the
// models, then the key's routing policy, where a client may name it.
function grantedModels(plan: KeyPlan, nowMs: number): GrantedModel[] {
  const serves = (model: ModelPlan): boolean =>
    model.granted && regionServes(plan, model) && !isPastSunset(model.retirement, nowMs);
  const models = modelsOf(plan)
    .filter(serves)
    .map((model) => grantedModel(plan, model));
  const aliases = [...plan.organisation.aliases.values()].flatMap((alias) => {
    if (isPastSunset(alias.retirement, nowMs)) return [];
    const { isAlias, model } = askedModel(plan, alias.name, nowMs);
    if (!isAlias || model === undefined || !serves(model)) return [];
    return [grantedModel(plan, model, alias)];
  });
  const policy = listedPolicy(plan, nowMs);
  return [...models, ...aliases, ...(policy === undefined ? [] : [policy])];
}

/** As the client names it: an alias has its own name and the rest of the model that it stands for. */
function grantedModel(plan: KeyPlan, model: ModelPlan, alias?: AliasPlan): GrantedModel {
  const { entry } = model;
  const { name, displayName, createdAtMs } = alias ?? entry;
  const { retirement } = alias ?? model;
  return {
    id: alias?.aliasId ?? entry.modelId,
    name,
    type: entry.type,
    provider: entry.providerLabel,
    contextTokens: entry.contextTokens,
    createdAtMs,
    defaultMaxOutputTokens: entry.defaultMaxOutputTokens,
    displayName: displayName || name,
    inputTokenLimit: entry.contextTokens,
    outputTokenLimit: entry.maxOutputTokens || entry.defaultMaxOutputTokens,
    families: familiesOf(plan, [model]),
    retirement: retirement?.announced ?? null,
  };
}

// Cold counters are seeded first. If that fails (the catalog is unreachable), the limit is sent
// without figures: omitting it would look like no limit, and zero like an unused one.
async function limitStates(
  deps: ValidateKeyDeps,
  plan: KeyPlan,
  deadlineAtMs: number,
): Promise<LimitState[]> {
  const nowMs = deps.clock.now();
  const limits = limitsOf(plan).map((limit) => presentWindow(limit, nowMs, plan.timeZone));
  const read = async () =>
    pair(
      limits,
      await deps.store.readCounters(
        plan.shard,
        limits.map((limit) => ({ limitId: limit.limitId, kind: counterKind(limit) })),
      ),
    );
  let readings = await read();
  const cold = limits.filter((_, index) => readings[index] === undefined);
  if (cold.length > 0) {
    const { shard, organisationId } = plan;
    try {
      await deps.seed({ shard, organisationId, limits: cold, deadlineAtMs });
      readings = await read();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  const known = readings.filter((reading) => reading !== undefined);
  const unknown = limits.filter((_, index) => readings[index] === undefined);
  return [
    ...tightestFirst(known).map(limitStateOf),
    ...unknown.map((limit) => unknownStateOf(limit, limit.windowEndMs)),
    // What is left depends on the value that a request names.
    ...plan.valueLimits.map((limit) => {
      const { windowEndMs } = presentWindow(limit, nowMs, plan.timeZone);
      return unknownStateOf(limit, limit.period === 'LIFETIME' ? 0 : windowEndMs);
    }),
  ];
}

function presentWindow(limit: PlannedLimit, nowMs: number, timeZone: string): HeldLimit {
  const window = limit.rate ? { startMs: 0, endMs: 0 } : windowAt(limit, nowMs, timeZone);
  return { ...limit, windowStartMs: window.startMs, windowEndMs: window.endMs, held: 0n };
}

function pair(
  limits: readonly HeldLimit[],
  counters: readonly StoredCounter[],
): (Reading | undefined)[] {
  return limits.map((limit, index) => {
    const counter = counters[index];
    if (counter === undefined || counter.settled === null) return undefined;
    // The counter's window has ended and no later one has begun.
    const past = limit.windowEndMs > 0 && counter.windowEndMs <= limit.windowStartMs;
    if (!past && counter.windowStartMs !== limit.windowStartMs) return undefined;
    return {
      limit,
      settled: past ? 0n : counter.settled,
      held: past ? 0n : counter.held,
      requested: 0n,
      resetsAtMs: limit.windowEndMs || counter.freeAtMs,
      retryAtMs: 0,
    };
  });
}
