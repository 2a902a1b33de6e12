import type { ScreeningService__Output } from '@tollgate/contracts/node';

import { createSharedServices } from './programs';

const service: ScreeningService__Output = {
  serviceId: 's1',
  identifier: 'judge',
  url: '',
  protocolJson: '{"type":"JAVASCRIPT","code":"function check() { return {}; }"}',
  auth: null,
  secret: null,
};

describe('services that several policies ask', () => {
  const open = createSharedServices({
    sandbox: { run: () => new Promise(() => undefined) },
  } as unknown as Parameters<typeof createSharedServices>[0]);

  test('one is opened once, so that its limits hold for all of them together', async () => {
    const first = open(service, 'acme');
    const other = open({ ...service }, 'acme');
    const check = { requestId: 'r', rule: { policy: 'p', id: 'r', version: 1 }, texts: [] };
    for (let n = 0; n < 32; n += 1) void (n % 2 === 0 ? first : other).ask(check, 1_000);
    await expect(other.ask(check, 1_000)).rejects.toThrow('32 checks are running');
  });

  test('other settings are another service', () => {
    const before = open(service, 'acme');
    expect(
      open({ ...service, protocolJson: service.protocolJson.replace('{}', '1') }, 'acme'),
    ).not.toBe(before);
    expect(open(service, 'other')).not.toBe(before);
  });
});
