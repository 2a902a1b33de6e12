// The same as internal-service.mts from the .proto and a service token alone: copy this file and
// protos/tollgate/policy/v1/policy.proto into any repository, install @grpc/grpc-js and
// @grpc/proto-loader, and nothing of Tollgate's is needed.
//
//   POLICY_PROTO=policy.proto POLICY_ADDRESS=127.0.0.1:50051 POLICY_TOKEN=… \
//     GATEWAY_KEY=tg_… GATEWAY_MODEL=chat node from-proto.mjs
//
// What each call promises: docs/policy-service.md.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const env = process.env;
const deadlineMs = Number(env.POLICY_DEADLINE_MS ?? 2_000);

// Field names as in the proto; 64-bit numbers and money as decimal texts, so that none is rounded.
const definition = protoLoader.loadSync(env.POLICY_PROTO ?? 'policy.proto', {
  keepCase: true,
  longs: String,
  defaults: true,
  oneofs: true,
});
const { PolicyService } = grpc.loadPackageDefinition(definition).tollgate.policy.v1;
const policy = new PolicyService(required('POLICY_ADDRESS'), credentials());

const metadata = new grpc.Metadata();
metadata.set('authorization', `Bearer ${required('POLICY_TOKEN')}`);

/** One call with a deadline; rejects with grpc-js's error, whose `code` is a gRPC status. */
function call(method, request) {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + deadlineMs };
    policy[method](request, metadata, options, (error, reply) => {
      if (error) reject(error);
      else resolve(reply);
    });
  });
}

try {
  // The key itself never travels.
  const keySha256 = createHash('sha256').update(required('GATEWAY_KEY')).digest();
  await report(keySha256, required('GATEWAY_MODEL'));
} catch (error) {
  if (typeof error.code !== 'number') throw error;
  const [dependency = 'the call'] = error.metadata.get('tollgate-dependency');
  console.error(`not answered: ${grpc.status[error.code]} (${dependency}): ${error.details}`);
  process.exitCode = 1;
} finally {
  policy.close();
}

async function report(key_sha256, model) {
  const known = await call('ValidateKey', { key_sha256 });
  if (known.denial) return refused(known.denial);
  const { subject, models } = known;
  console.log(`key "${subject.api_key_name}" of ${subject.organisation_slug}`);
  console.log(`may use ${models.map(({ name, provider }) => `${name} (${provider})`).join(', ')}`);
  printLeft(known.limits);

  const request_id = uuidv7();
  const { allow, denial } = await call('Authorize', {
    request_id,
    key_sha256,
    model,
    operation: 'chat',
    route: 'nightly-report',
    input_tokens_estimate: 200,
    max_output_tokens: 100,
  });
  if (denial) return refused(denial);
  const { hold_token, candidates, held_nano_usd } = allow;
  console.log(`holding $${usd(held_nano_usd)} for ${request_id}`);

  const usage = { input: 120, output: 40 };
  const [{ model_id, provider_id, price }] = candidates;
  const cost = costNanoUsd(price, usage);
  const { seq, limits } = await settled({
    request_id,
    hold_token,
    outcome: 'COMPLETED',
    usage,
    usage_quality: 'EXACT',
    cost_nano_usd: String(cost),
    model_id,
    provider_id,
    price_id: price?.price_id ?? '',
    http_status: 200,
  });
  console.log(`settled $${usd(cost)} as number ${seq} of its ledger`);
  printLeft(limits);
}

/** Until it is answered: with the same request id it is the same settle, however often it arrives. */
async function settled(request) {
  const away = [grpc.status.UNAVAILABLE, grpc.status.DEADLINE_EXCEEDED];
  for (let tries = 1; ; tries += 1) {
    try {
      return await call('Settle', request);
    } catch (error) {
      if (!away.includes(error.code) || tries === 20) throw error;
      await pause(Math.min(100 * 2 ** tries, 5_000));
    }
  }
}

/** By the step of the price list that the input falls into; rounded up once, at the end. */
function costNanoUsd(price, { input, output }) {
  if (!price) return 0n;
  const step = price.steps.findLast(({ from_input_tokens }) => Number(from_input_tokens) <= input);
  const perMillion = BigInt(input) * BigInt(step.input) + BigInt(output) * BigInt(step.output);
  return BigInt(price.per_request_nano_usd || '0') + (perMillion + 999_999n) / 1_000_000n;
}

function printLeft(limits) {
  for (const { kind, scope_type, metric, limit, remaining } of limits) {
    const amount = (text) => {
      if (text === '') return 'an unknown part';
      return metric === 'COST' ? `$${usd(text)}` : text;
    };
    console.log(`${kind} of ${scope_type}: ${amount(remaining)} of ${amount(limit)} left`);
  }
}

function refused({ code }) {
  console.log(`refused: ${code}`);
  process.exitCode = 2;
}

/** 12500000000 → 12.50 */
function usd(nano) {
  const digits = String(nano).padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0{1,7}$/, '');
  return `${digits.slice(0, -9)}.${fraction}`;
}

/** A request id: the milliseconds of now, then random bits, with the version and variant in place. */
function uuidv7() {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = bytes.toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Without files: plain text, as on loopback. With them both sides prove themselves. */
function credentials() {
  if (!env.POLICY_TLS_CA) return grpc.credentials.createInsecure();
  const [ca, key, cert] = ['POLICY_TLS_CA', 'POLICY_TLS_KEY', 'POLICY_TLS_CERT'].map((name) =>
    readFileSync(required(name)),
  );
  return grpc.credentials.createSsl(ca, key, cert);
}

function required(name) {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
