import { holdTokenSecrets, loadConfig } from './config';

const NONE = { HOLD_TOKEN_SECRET: '', INTERNAL_TOKEN: '', INTERNAL_TOKENS: '' };
const EDGE = { ...NONE, INTERNAL_TOKENS: 'edge=edge-token-0123456789' };

test('the first secret signs, and the others still verify', () => {
  const config = { ...EDGE, HOLD_TOKEN_SECRET: 'new,old' };
  expect(holdTokenSecrets(config)).toEqual(['new', 'old']);
});

test('who knows only the tokens of callers cannot derive the secret of a policy with its own', () => {
  const own = { ...EDGE, INTERNAL_TOKEN: 'policy-token-0123456789' };
  expect(holdTokenSecrets(own)).not.toEqual(holdTokenSecrets(EDGE));
  expect(holdTokenSecrets(own)).toEqual(holdTokenSecrets({ ...own }));
});

test('a lease is at most as long as edges count on', () => {
  expect(loadConfig({ LEASE_MS: '600000' }).LEASE_MS).toBe(600_000);
  expect(() => loadConfig({ LEASE_MS: '600001' })).toThrow('LEASE_MS');
});

test('floats need items that are decided soon', () => {
  expect(loadConfig({}).FLOATS).toBe('on');
  expect(loadConfig({ ITEM_DEADLINE_MS: '1250' }).ITEM_DEADLINE_MS).toBe(1_250);
  const longer = { ITEM_DEADLINE_MS: '1251' };
  expect(() => loadConfig(longer)).toThrow('ITEM_DEADLINE_MS: at most 1250 unless FLOATS=off');
  expect(loadConfig({ FLOATS: 'off', ...longer })).toMatchObject({
    FLOATS: 'off',
    ITEM_DEADLINE_MS: 1_251,
  });
});
