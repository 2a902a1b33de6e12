import { regionDetails } from './regions';

describe('what a refusal says may be used', () => {
  test('what all rules allow', () => {
    const rules = [
      { scopeType: 'ORGANISATION', regions: ['eu', 'us'] },
      { scopeType: 'TEAM', regions: [] },
      { scopeType: 'API_KEY', regions: ['eu'] },
    ];
    expect(regionDetails(rules)).toEqual({
      allowedRegions: ['eu'],
      regionRules: [rules[0], rules[2]],
    });
  });

  test('null without a rule, which is not the same as no region', () => {
    expect(regionDetails([]).allowedRegions).toBeNull();
    const apart = [
      { scopeType: 'TEAM', regions: ['eu'] },
      { scopeType: 'API_KEY', regions: ['us'] },
    ];
    expect(regionDetails(apart).allowedRegions).toEqual([]);
  });
});
