import { newTenant, startGateway, type Gateway } from '.';

// The launcher allows loopback for providers, and the gateway's own services listen there too.

let gateway: Gateway;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({ edges: 0 });
  stop = gateway.stop;
});
afterAll(() => stop());

test('a provider at a port of the gateway is refused, and at the simulator’s it is not', async () => {
  const { ports, policyAddresses } = gateway.stack.layout;
  const { simulator: _upstream, ...others } = ports;
  const policy = Number(policyAddresses[0]?.split(':')[1]);
  const stores = [gateway.databaseUrl, gateway.redis.url].map((url) => Number(new URL(url).port));
  const tenant = await newTenant(gateway);
  for (const port of [...Object.values(others), policy, ...stores]) {
    const body = {
      name: `own-${String(port)}`,
      type: 'PROVIDER_A',
      baseUrl: `http://127.0.0.1:${String(port)}/v1`,
    };
    const { status, data } = await gateway.rest.post(`${tenant.base}/providers`, body);
    expect({ port, status, data: JSON.stringify(data) }).toEqual({
      port,
      status: 422,
      data: expect.stringMatching(/"path":"baseUrl".*UPSTREAM_DENIED_PORTS/) as string,
    });
  }
});
