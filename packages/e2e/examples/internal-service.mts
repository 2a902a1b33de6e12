// An internal service that does work of its own on behalf of a gateway key: it asks whose the key is,
// holds what the work may cost, does it, settles what it used, and says what is left.
//
//   POLICY_ADDRESS=127.0.0.1:50051 POLICY_TOKEN=… GATEWAY_KEY=tg_… GATEWAY_MODEL=chat \
//     node packages/e2e/examples/internal-service.mts
//
// What each call promises: docs/policy-service.md.
import { setTimeout as pause } from 'node:timers/promises';
import {
  costNanoUsd,
  emptyUsage,
  formatUsd,
  priceFromWire,
  type TokenUsage,
} from '@tollgate/contracts';
import {
  createPolicyClient,
  hashApiKey,
  newRequestId,
  PolicyError,
  type Allow__Output,
  type LimitState__Output,
  type PolicyApi,
  type SettleRequest,
} from '@tollgate/contracts/node';

const env = process.env;

const policy = createPolicyClient({
  address: required('POLICY_ADDRESS'),
  token: required('POLICY_TOKEN'),
  deadlineMs: Number(env['POLICY_DEADLINE_MS'] ?? 2_000),
  ...(env['POLICY_TLS_CA'] === undefined
    ? {}
    : {
        tls: {
          caFile: env['POLICY_TLS_CA'],
          certFile: required('POLICY_TLS_CERT'),
          keyFile: required('POLICY_TLS_KEY'),
        },
      }),
});

try {
  await report(policy, hashApiKey(required('GATEWAY_KEY')), required('GATEWAY_MODEL'));
} catch (error) {
  if (!(error instanceof PolicyError)) throw error;
  // Nothing has been decided: neither the key nor its budget is at fault.
  console.error(
    `not answered: ${error.code} (${error.dependency ?? 'the call'}): ${error.message}`,
  );
  process.exitCode = 1;
} finally {
  policy.close();
}

/** The nightly report of this service, charged to whom the key belongs. */
async function report(policy: PolicyApi, keySha256: Buffer, model: string): Promise<void> {
  const known = await policy.validateKey({ keySha256 });
  if (known.denial) return refused(known.denial.code);
  console.log(`key "${known.subject?.apiKeyName}" of ${known.subject?.organisationSlug}`);
  const models = known.models.map(({ name, provider }) => `${name} (${provider})`);
  console.log(`may use ${models.join(', ')}`);
  printLeft(known.limits);

  const requestId = newRequestId();
  const { allow, denial } = await policy.authorize({
    requestId,
    keySha256,
    model,
    operation: 'chat',
    route: 'nightly-report',
    inputTokensEstimate: 200,
    maxOutputTokens: 100,
  });
  if (!allow) return refused(denial?.code ?? 'unknown');
  console.log(`holding $${formatUsd(BigInt(allow.heldNanoUsd))} for ${requestId}`);

  const startedAtMs = performance.now();
  const usage = await work().catch(async (error: unknown) => {
    // It never came to the work that costs: everything is given back.
    await settled(policy, { requestId, holdToken: allow.holdToken, cancelled: true });
    throw error;
  });
  const cost = costOf(allow, usage);
  const { seq, limits } = await settled(policy, {
    requestId,
    holdToken: allow.holdToken,
    outcome: 'COMPLETED',
    usage,
    usageQuality: 'EXACT',
    costNanoUsd: cost.toString(),
    modelId: allow.candidates[0]?.modelId ?? '',
    providerId: allow.candidates[0]?.providerId ?? '',
    priceId: allow.candidates[0]?.price?.priceId ?? '',
    httpStatus: 200,
    latencyMs: Math.round(performance.now() - startedAtMs),
  });
  console.log(`settled $${formatUsd(cost)} as number ${seq} of its ledger`);
  printLeft(limits);
}

/** Stands for what this service does: it counts what it has used. */
async function work(): Promise<TokenUsage> {
  return { ...emptyUsage(), input: 120, output: 40 };
}

function costOf({ candidates }: Allow__Output, usage: TokenUsage): bigint {
  const price = candidates[0]?.price;
  // A model without a price may be used where no limit counts money.
  return price ? costNanoUsd(priceFromWire(price), usage) : 0n;
}

const TRIES = 20;

/**
 * A settle is sent until it is answered: with the same request id it is the same settle, however
 * often it arrives. A service that may die meanwhile keeps it on disk.
 */
async function settled(policy: PolicyApi, request: SettleRequest) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await policy.settle(request);
    } catch (error) {
      const again = error instanceof PolicyError && error.retryable && tries < TRIES;
      if (!again) throw error;
      await pause(Math.min(100 * 2 ** tries, 5_000));
    }
  }
}

function printLeft(limits: readonly LimitState__Output[]): void {
  for (const { kind, scopeType, metric, limit, remaining } of limits) {
    const amount = (text: string): string => {
      if (text === '') return 'an unknown part';
      return metric === 'COST' ? `$${formatUsd(BigInt(text))}` : text;
    };
    console.log(`${kind} of ${scopeType}: ${amount(remaining)} of ${amount(limit)} left`);
  }
}

/** A refusal is an answer: waiting for nothing but the limit or an administrator helps. */
function refused(code: string): void {
  console.log(`refused: ${code}`);
  process.exitCode = 2;
}

function required(name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
