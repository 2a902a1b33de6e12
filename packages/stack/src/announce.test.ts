import { announcement, type Announced } from './announce';

const ANNOUNCED: Announced = {
  demo: {
    edgeUrl: 'http://127.0.0.1:8080',
    catalogUrl: 'http://127.0.0.1:8081',
    adminUrl: 'http://127.0.0.1:3000',
    simulatorUrl: 'http://127.0.0.1:9090',
    organisationId: 'o1',
    apiKey: 'tg_key',
    admin: { email: 'admin@tollgate.local', password: 'secret' },
  },
  answer: undefined,
  mcpServers: ['demo-tools'],
  without: new Set(),
  model: 'demo',
  opsUrl: 'http://127.0.0.1:8083',
};

test('all running services are listed, with a sample request', () => {
  const text = announcement(ANNOUNCED).join('\n');
  for (const port of [8080, 8081, 8083, 3000, 9090]) expect(text).toContain(`:${port}`);
  expect(text).toContain('curl http://127.0.0.1:8080/v1/chat/completions');
  expect(text).toContain('"model":"demo"');
  expect(text).toContain('http://127.0.0.1:8080/v1/mcp/demo-tools');
});

test.each([
  ['edge', ['8080', '8083', 'curl']],
  ['policy', ['curl']],
  ['admin', ['3000', 'secret']],
  ['simulator', ['9090']],
] as const)('without %s its lines are absent', (service, hidden) => {
  const text = announcement({ ...ANNOUNCED, without: new Set([service]) }).join('\n');
  for (const word of hidden) expect(text).not.toContain(word);
  expect(text).toContain('Stop with Ctrl-C.');
});

test('without a model there is no sample request', () => {
  expect(announcement({ ...ANNOUNCED, model: undefined }).join('\n')).not.toContain('curl');
});
