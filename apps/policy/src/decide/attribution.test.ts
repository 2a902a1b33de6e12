import fc from 'fast-check';

import type { AttributionRules } from '../directory';
import { SUBJECT } from '../test-support/contexts';
import { attributionOf } from './attribution';

const RULES: AttributionRules = {
  trusted: true,
  tagKeys: ['project', 'team'],
  refuseUnknownTags: false,
};
const CLAIMED = { endUser: 'ada', session: 's-1', tags: 'project:blue, tier:gold', metadata: '' };
const plan = (changes: Partial<AttributionRules>, apiKeyId: string = SUBJECT.apiKeyId) => ({
  attribution: { ...RULES, ...changes },
  subject: { ...SUBJECT, apiKeyId },
});

test('a trusted key is believed; an unknown tag is ignored, and told', () => {
  expect(attributionOf(plan({}), CLAIMED)).toEqual({
    counts: { endUser: 'ada', session: 's-1', tags: 'project:blue', ignoredTags: ['tier'] },
  });
  expect(attributionOf(plan({}), null)).toEqual({ counts: null });
});

test('an untrusted key names end users and sessions of its own, and no tags', () => {
  expect(attributionOf(plan({ trusted: false }), CLAIMED)).toEqual({
    counts: {
      endUser: 'ada@key:key-1',
      session: 's-1@key:key-1',
      tags: '',
      ignoredTags: ['project', 'tier'],
    },
  });
});

test('an untrusted key never has recorded what another key could', () => {
  const name = fc.oneof(fc.string({ maxLength: 20 }), fc.constant('ada@key:key-2'));
  fc.assert(
    fc.property(name, name, fc.boolean(), (mine, theirs, trusted) => {
      fc.pre(mine !== '' && theirs !== '' && !(trusted && theirs.endsWith('@key:key-1')));
      const claimed = (endUser: string) => ({ ...CLAIMED, endUser, session: endUser });
      const of = (one: ReturnType<typeof attributionOf>) => ('counts' in one ? one.counts : null);
      const own = of(attributionOf(plan({ trusted: false }), claimed(mine)));
      const other = of(attributionOf(plan({ trusted }, 'key-2'), claimed(theirs)));
      expect(own?.endUser).not.toBe(other?.endUser);
      expect(own?.session).not.toBe(other?.session);
    }),
  );
});

test('metadata sets known tags, below the header, and its other entries are nobody’s business', () => {
  const metadata = 'project:red, team:a, chat:7';
  expect(attributionOf(plan({}), { ...CLAIMED, metadata })).toMatchObject({
    counts: { tags: 'project:blue, team:a', ignoredTags: ['tier'] },
  });
  const strict = plan({ refuseUnknownTags: true });
  expect(attributionOf(strict, { ...CLAIMED, tags: '', metadata })).toMatchObject({
    counts: { tags: 'project:red, team:a', ignoredTags: [] },
  });
});

test('an organisation may refuse unknown tags; the refusal names header, tag and what is known', () => {
  expect(attributionOf(plan({ refuseUnknownTags: true }), CLAIMED)).toEqual({
    refusal: {
      code: 'invalid_request',
      message: 'x-tollgate-tags: this organisation has no tag "tier". Its tags: "project", "team".',
      details: { param: 'x-tollgate-tags', tag: 'tier' },
    },
  });
});
