import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

import { startGateway, type Gateway } from '.';

// Health checks of the gRPC ports for a prober without a token, such as Kubernetes. The client is a
// different library than the server, made from the protocol's own definition.

const messages = { requestType: 'HealthCheckRequest', responseType: 'HealthCheckResponse' };
const nested = {
  HealthCheckRequest: { fields: { service: { type: 'string', id: 1 } } },
  HealthCheckResponse: {
    fields: { status: { type: 'ServingStatus', id: 1 } },
    nested: {
      ServingStatus: { values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } },
    },
  },
  Health: {
    methods: {
      Check: { ...messages, comment: '' },
      Watch: { ...messages, responseStream: true, comment: '' },
    },
  },
};
const definition = fromJSON(
  { nested: { 'grpc.health.v1': { nested } } },
  { enums: String, defaults: true },
);

interface Answer {
  status: string;
}
let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({ simulator: false, edges: 0 });
  stop = gateway.stop;
});
afterAll(() => stop());

function open(address: string) {
  const loaded = loadPackageDefinition(definition) as unknown as {
    grpc: { health: { v1: { Health: ServiceClientConstructor } } };
  };
  return new loaded.grpc.health.v1.Health(address, credentials.createInsecure());
}

function check(address: string, service: string): Promise<Answer> {
  const client = open(address);
  return new Promise<Answer>((resolve, reject) => {
    const deadline = Date.now() + 30_000;
    client['Check']?.({ service }, { deadline }, (error: Error | null, answer: Answer) => {
      if (error) reject(error);
      else resolve(answer);
    });
  }).finally(() => client.close());
}

const policy = (): string => gateway.stack.layout.policyAddresses[0] ?? '';
const catalog = (): string => gateway.stack.layout.catalogGrpcAddress;

test('each port reports the health of itself and its services', async () => {
  expect(await check(policy(), '')).toEqual({ status: 'SERVING' });
  expect(await check(policy(), 'tollgate.policy.v1.PolicyService')).toEqual({ status: 'SERVING' });
  expect(await check(catalog(), '')).toEqual({ status: 'SERVING' });
  for (const service of ['Directory', 'Ledger']) {
    const answer = await check(catalog(), `tollgate.catalog.v1.${service}`);
    expect(answer).toEqual({ status: 'SERVING' });
  }
  await expect(check(policy(), 'tollgate.catalog.v1.Ledger')).rejects.toMatchObject({ code: 5 });
});

test('a policy without its Redis is not serving, and a watch is notified', async () => {
  const client = open(policy());
  const stream = client['Watch']?.({ service: '' }) as unknown as AsyncIterable<Answer>;
  const told: string[] = [];
  for await (const { status } of stream) {
    told.push(status);
    if (told.length === 2) break;
    await gateway.redis.stop();
  }
  client.close();
  expect(told).toEqual(['SERVING', 'NOT_SERVING']);
  expect(await check(policy(), '')).toEqual({ status: 'NOT_SERVING' });
  expect(await check(catalog(), '')).toEqual({ status: 'SERVING' });
});
