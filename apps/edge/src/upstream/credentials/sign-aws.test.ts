// Our signatures beside those of the vendor's SDK, before a verifier that is written from the vendor's specification.

import { BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { checkAwsSignature } from '@tollgate/simulator';
import fc from 'fast-check';

import type { UpstreamCall } from '../call';
import { signedForAws } from './sign-aws';

interface Case {
  model: string;
  body: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
  atS: number;
}

const RUNS = 200;
const among = (characters: string) => fc.constantFrom(...characters.split(''));
const printable = fc.string({
  minLength: 16,
  maxLength: 40,
  unit: among('abcXYZ019/+='),
});
const cases: fc.Arbitrary<Case> = fc.record({
  model: fc.oneof(
    fc.constantFrom(
      'anthropic.claude-3-5-sonnet-20240620-v1:0',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-v2:1',
      "a b~c(d)e*f!g'h",
    ),
    fc.string({ minLength: 1, maxLength: 30, unit: among('abz09:._-/@~ ü%') }),
  ),
  body: fc.string({ maxLength: 300, unit: 'grapheme' }).map((text) => JSON.stringify({ text })),
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'us-gov-west-1', 'ap-southeast-4'),
  accessKeyId: fc.string({ minLength: 16, maxLength: 20, unit: among('AKIZ0189') }),
  secretAccessKey: printable,
  sessionToken: fc.option(printable, { nil: undefined }),
  atS: fc.integer({ min: 1_600_000_000, max: 1_900_000_000 }),
});

const ORIGIN = 'https://bedrock-runtime.test.example:8443';

async function ours({ body, model, region, atS, ...credentials }: Case): Promise<UpstreamCall> {
  const call = {
    origin: ORIGIN,
    path: `/model/${encodeURIComponent(model)}/invoke`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'tollgate',
    },
    body,
  } as unknown as UpstreamCall;
  return signedForAws(call, credentials, { region, service: 'bedrock' }, atS * 1_000);
}

interface SdkRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** The request that the SDK would send at this instant. */
async function sdks({ atS, body, model, region, ...credentials }: Case): Promise<SdkRequest> {
  let seen: SdkRequest | undefined;
  const client = new BedrockRuntimeClient({
    region,
    endpoint: ORIGIN,
    credentials: {
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
    },
    systemClockOffset: atS * 1_000 - Date.now(),
    maxAttempts: 1,
    requestHandler: {
      handle: (request: SdkRequest) => {
        seen = request;
        return Promise.reject(new Error('not sent'));
      },
    } as never,
  });
  const type = { contentType: 'application/json', accept: 'application/json' };
  const command = new InvokeModelCommand({ modelId: model, body, ...type });
  await client.send(command).catch(() => undefined);
  if (!seen) throw new Error('the SDK signed nothing');
  return seen;
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

const HOST = new URL(ORIGIN).host;

function accepted(
  { accessKeyId, atS, secretAccessKey, sessionToken }: Case,
  url: string,
  headers: Record<string, string>,
  body: Uint8Array | string,
): boolean {
  const request = {
    method: 'POST',
    url,
    headers: { host: HOST, ...headers },
    body: Buffer.from(body),
  };
  const secretOf = (id: string, token: string | undefined) =>
    id === accessKeyId && token === sessionToken ? secretAccessKey : undefined;
  return checkAwsSignature(request, secretOf, atS * 1_000) === accessKeyId;
}

test(`an independent verifier accepts ${RUNS} requests of ours, and none that was changed`, async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.nat(), async (one, place) => {
      const { headers, path } = await ours(one);
      const text = one.body;
      expect(accepted(one, path, headers, text)).toBe(true);
      const at = place % text.length;
      const other = `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`;
      expect(accepted(one, path, headers, other)).toBe(false);
      expect(accepted(one, `${path}x`, headers, text)).toBe(false);
      expect(accepted({ ...one, secretAccessKey: 'another' }, path, headers, text)).toBe(false);
      expect(accepted({ ...one, atS: one.atS + 301 }, path, headers, text)).toBe(false);
    }),
    { numRuns: RUNS },
  );
});

test(`it accepts ${RUNS} requests of the vendor's SDK, so it reads the specification as the vendor does`, async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const { body, headers, path } = await sdks(one);
      expect(accepted(one, path, lowered(headers), body)).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test(`${RUNS} requests with the headers and the time of the SDK have its signature`, async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const { body, headers, path } = await sdks(one);
      const { authorization, host: _, ...rest } = lowered(headers);
      const own = Object.entries(rest).filter(([name]) => !ADDED_BY_SIGNING.has(name));
      const call = {
        origin: ORIGIN,
        path,
        headers: Object.fromEntries(own),
        body: Buffer.from(body),
      };
      const scope = { region: one.region, service: 'bedrock' };
      const signed = await signedForAws(
        call as unknown as UpstreamCall,
        one,
        scope,
        instantOf(rest),
      );
      expect(signed.headers['authorization']).toBe(authorization);
      expect(signed.path).toBe(path);
    }),
    { numRuns: RUNS },
  );
});

const ADDED_BY_SIGNING = new Set(['x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256']);

function instantOf({ 'x-amz-date': date = '' }: Record<string, string>): number {
  return Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

test('a body that is read from a file is refused, because it would have to be read twice', async () => {
  const call = { ...(await ours(sample())), body: {} } as unknown as UpstreamCall;
  const scope = { region: 'us-east-1', service: 'bedrock' };
  await expect(signedForAws(call, sample(), scope, 0)).rejects.toThrow('cannot be signed');
});

function sample(): Case {
  const [one] = fc.sample(cases, { numRuns: 1, seed: 1 });
  if (!one) throw new Error('no sample');
  return one;
}
