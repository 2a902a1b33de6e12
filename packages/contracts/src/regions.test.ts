import { isRegionAllowed, regionName, regionsAllowedBy, regionSet, regionsText } from './regions';

test('a request may use what all rules allow, and everything without a rule', () => {
  const rule = (scopeType: string, ...regions: string[]) => ({ scopeType, regions });
  expect(regionsAllowedBy([])).toBeUndefined();
  expect(regionsAllowedBy([rule('TEAM'), rule('MODEL')])).toBeUndefined();
  expect(regionsAllowedBy([rule('TEAM', 'us', 'eu'), rule('MODEL')])).toEqual(['eu', 'us']);
  expect(regionsAllowedBy([rule('TEAM', 'us', 'eu'), rule('API_KEY', 'eu')])).toEqual(['eu']);
  expect(regionsAllowedBy([rule('TEAM', 'us'), rule('API_KEY', 'eu')])).toEqual([]);
});

test('an unknown region is outside of every set', () => {
  expect(isRegionAllowed(undefined, '')).toBe(true);
  expect(isRegionAllowed(['eu'], '')).toBe(false);
  expect(isRegionAllowed(['eu'], 'eu')).toBe(true);
  expect(isRegionAllowed(['eu'], 'us')).toBe(false);
  expect(isRegionAllowed([], 'eu')).toBe(false);
});

test('a record names each region once, and says where it does not know one', () => {
  expect(regionsText([])).toBe('none');
  expect(regionsText(['us', 'eu', 'us', ''])).toBe('eu, unknown, us');
});

test.each(['eu', 'us-east-1', 'a'.repeat(32), '1'])('%s is a name of a region', (name) => {
  expect(regionName.safeParse(name).success).toBe(true);
});

test.each(['', 'EU', 'eu-', '-eu', 'eu west', 'a'.repeat(33), 'unknown', 'none', 'not-recorded'])(
  '"%s" is no name of a region',
  (name) => {
    expect(regionName.safeParse(name).success).toBe(false);
  },
);

test('a set has at most 16 regions, each once', () => {
  const names = Array.from({ length: 17 }, (_, at) => `r${at}`);
  expect(regionSet.safeParse(names.slice(1)).success).toBe(true);
  expect(regionSet.safeParse(names).success).toBe(false);
  expect(regionSet.safeParse(['eu', 'eu']).success).toBe(false);
});
