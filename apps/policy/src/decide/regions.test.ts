import { modelNamed, planOf } from '../directory';
import { ask, context, model, screeningEntry, SUBJECT } from '../test-support/contexts';
import { regionDetails, screeningRegionFits } from './regions';

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

describe('services that screen a request', () => {
  const far = [{ identifier: 'checker', region: 'us' }];
  const screened = (...attachedTo: [string, string]) => {
    const plan = planOf(
      context({
        allowedRegions: [{ scopeType: 'ORGANISATION', regions: ['eu'] }],
        models: [model({ region: 'eu' })],
        screening: [{ ...screeningEntry('p', attachedTo), services: far }],
      }),
    );
    const found = modelNamed(plan, 'small');
    if (found === undefined) throw new Error('no model');
    return { plan, model: found };
  };

  test('of a shadow are those of its client', () => {
    const { plan, model: second } = screened('TEAM', 'team-1');
    const nobody = { ...SUBJECT, teamId: '', userId: '', apiKeyId: 'experiment-1' };
    expect(screeningRegionFits({}, { ...plan, subject: nobody }, second)).toBeUndefined();
    const shadow = { ...plan, subject: nobody, client: SUBJECT };
    expect(screeningRegionFits({}, shadow, second)?.code).toBe('region_not_allowed');
  });

  test('of a stored object are those of the model that made it as well', () => {
    const { plan, model: reader } = screened('MODEL', 'model-9');
    const issuer = { providerId: 'p', connectionVersion: 1, modelId: 'model-9', readTokens: 0 };
    const stored = { request: ask({ storedId: 'resp_1' }), issuer };
    expect(screeningRegionFits(stored, plan, reader)?.code).toBe('region_not_allowed');
    expect(screeningRegionFits({ request: ask(), issuer }, plan, reader)).toBeUndefined();
  });

  test('of another candidate count where a routing policy chooses', () => {
    const { plan, model: own } = screened('MODEL', 'model-9');
    const alongside = [own, { modelId: 'model-9' }];
    expect(screeningRegionFits({ alongside }, plan, own)?.code).toBe('region_not_allowed');
    expect(screeningRegionFits({}, plan, own)).toBeUndefined();
  });
});
