import { readDirectives } from './directives';
import type { JsonObject } from './json';
import { billedTiers, geminiTier, messageTiers, openAiTier } from './tiers';

const asking = (body: JsonObject, words = '') => ({ body, directives: readDirectives('m', words) });

test.each([
  [{}, 'default'],
  [{ service_tier: 'auto' }, 'default'],
  [{ service_tier: 'flex' }, 'flex'],
  [{ service_tier: 'priority' }, 'priority'],
  [{ service_tier: 'fast' }, 'priority'],
])('OpenAI processes %j as %s', (body, tier) => {
  expect(openAiTier(asking(body))).toBe(tier);
});

test('a tier that is denied is told, and billed, as standard', () => {
  const denied = openAiTier(asking({ service_tier: 'priority' }, 'standard'));
  expect(denied).toBe('default');
  expect(billedTiers(denied)).toEqual({});
  expect(geminiTier(asking({ serviceTier: 'FLEX' }, 'standard'))).toBe('standard');
  expect(messageTiers(asking({ speed: 'fast' }, 'standard')).speed).toBe('standard');
});

test('Anthropic tells speed and region only if they were asked for, and bills both', () => {
  expect(messageTiers(asking({}))).toEqual({
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  });
  const { inference_geo, speed } = messageTiers(asking({ speed: 'fast', inference_geo: 'us' }));
  expect(billedTiers(speed, inference_geo)).toEqual({ tiers: 'fast, us' });
});
