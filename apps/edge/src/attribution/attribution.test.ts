import {
  GatewayError,
  isClientTagKey,
  MOST_TAGS,
  TAGS_CHARACTERS,
  tagsIn,
} from '@tollgate/contracts';
import fc from 'fast-check';

import { agentOf, claimedAttribution } from '.';
import { splitUserId } from './names';
import { readTags, tagsOfMetadata } from './read-tags';
import { recordedAttribution } from './recorded';

const SESSION = '123e4567-e89b-12d3-a456-426614174000';
const DEVICE = 'a1b2'.repeat(16);
const ACCOUNT = '0d9f6a53-6d9d-4d0f-93a0-5cf7f0b7a9c1';

const key = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,31}$/);
const value = fc
  .string({ unit: fc.constantFrom(...Array.from('aZ09ßж漢._/@+- ')), minLength: 1, maxLength: 128 })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const tags = fc.uniqueArray(fc.tuple(key, value), {
  selector: ([name]) => name,
  minLength: 1,
  maxLength: MOST_TAGS,
});

describe('tags of the header', () => {
  test('every tag that is written is read back, sorted, within the bound of records', () => {
    fc.assert(
      fc.property(tags, fc.constantFrom(',', ', ', ' , '), (given, comma) => {
        const header = given
          .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
          .join(comma);
        const text = readTags(header);
        expect(tagsIn(text)).toEqual(new Map(given.toSorted(([a], [b]) => (a < b ? -1 : 1))));
        expect([...tagsIn(text).keys()]).toEqual(given.map(([name]) => name).toSorted());
        expect(text.length).toBeLessThanOrEqual(TAGS_CHARACTERS);
      }),
    );
  });

  test('any header is read, or refused as a request of the client that names header and tag', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (header) => {
        try {
          for (const [name, text] of tagsIn(readTags(header))) {
            expect(isClientTagKey(name)).toBe(true);
            expect(text).not.toMatch(/[,:\p{C}]/u);
          }
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          expect(error).toMatchObject({ code: 'invalid_request', param: 'x-tollgate-tags' });
          expect(error.message).toMatch(/^x-tollgate-tags: the tag "/);
        }
      }),
    );
  });

  test.each([
    ['project', 'the tag "project" has no "="'],
    ['project=blue,', 'the tag "" has no "="'],
    ['Project=blue', 'the tag "Project=blue" has a key'],
    [`${'k'.repeat(33)}=v`, 'has a key'],
    ['project=', 'the tag "project=" has a value'],
    [`project=${'v'.repeat(129)}`, 'has a value'],
    ['project=a%2Cb', 'has a value'],
    ['project=a:b', 'has a value'],
    ['project=%E4', 'has a value'],
    ['project=%0Ax', 'has a value'],
    ['project=\u00e4', 'has a value'],
    ['project=a,project=b', 'the tag "project=b" repeats a key'],
    [
      Array.from({ length: 11 }, (_, n) => `k${String(n)}=v`).join(','),
      'the tag "k10=v" is one of more than 10',
    ],
  ])('%s is refused', (header, message) => {
    expect(() => readTags(header)).toThrow(message);
  });

  test('an empty header has no tags, and spaces and letters of any script are values', () => {
    expect(readTags(' ')).toBe('');
    expect(readTags('team=Z%C3%BCrich%20West, cost.centre=4711/a')).toBe(
      'cost.centre:4711/a, team:Zürich West',
    );
  });
});

test('only entries of metadata that could be tags are told', () => {
  const metadata = { project: 'blue', Upper: 'x', count: 3, long: 'v'.repeat(129), note: 'a, b' };
  expect(tagsOfMetadata(metadata)).toBe('project:blue');
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${String(n)}`, 'v']));
  expect(tagsIn(tagsOfMetadata(many)).size).toBe(64);
});

describe('the user in a body', () => {
  test.each([
    ['of an account', `user_${DEVICE}_account_${ACCOUNT}_session_${SESSION}`, ACCOUNT, SESSION],
    ['without an account', `user_${DEVICE}_account__session_${SESSION}`, DEVICE, SESSION],
    ['of another client', `ada_session_${SESSION}`, 'ada', SESSION],
    [
      'in JSON',
      JSON.stringify({ device_id: DEVICE, account_uuid: ACCOUNT, session_id: SESSION }),
      ACCOUNT,
      SESSION,
    ],
    [
      'in JSON without an account',
      JSON.stringify({ device_id: DEVICE, account_uuid: '', session_id: SESSION }),
      DEVICE,
      SESSION,
    ],
  ])('names a session: %s', (_, text, endUser, session) => {
    expect(splitUserId(text)).toEqual({ endUser, session });
  });

  test.each(['ada', '{"a":1}', '{"session_id":', '{"session_id":7}', 'x_session_', '_session_'])(
    'names none: %s',
    (text) => {
      expect(splitUserId(text)).toEqual({ endUser: text, session: undefined });
    },
  );
});

test('a long user is only a name, whatever it has in it', () => {
  const hostile = `user_${'_account_'.repeat(100_000)}_session_`;
  for (const text of [hostile, `user_a_account_b_session_${'s'.repeat(2_000)}`]) {
    expect(splitUserId(text)).toEqual({ endUser: text, session: undefined });
  }
});

describe('what policy is told', () => {
  test('nothing where nobody is named', () => {
    expect(claimedAttribution({})).toBeUndefined();
    expect(
      claimedAttribution({ 'x-tollgate-tags': '', 'session-id': '' }, { endUser: '' }),
    ).toBeUndefined();
    expect(claimedAttribution({}, { metadata: { Upper: 'x' } })).toBeUndefined();
  });

  test('the session of a header precedes that of the user, and Codex has its own headers', () => {
    const body = { endUser: `ada_session_${SESSION}` };
    expect(claimedAttribution({}, body)).toMatchObject({ endUser: 'ada', session: SESSION });
    for (const header of ['x-claude-code-session-id', 'session_id', 'session-id']) {
      const claimed = claimedAttribution({ [header]: 's-1' }, body);
      expect(claimed).toEqual({ endUser: 'ada', session: 's-1', tags: '', metadata: '' });
    }
  });

  test('names are bounded, and two long ones never become one', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 600 }),
        fc.string({ unit: 'binary', maxLength: 600 }),
        (one, other) => {
          const named = (endUser: string) => claimedAttribution({}, { endUser })?.endUser ?? '';
          for (const text of [one, other]) {
            expect(named(text).length).toBeLessThanOrEqual(256);
            expect(named(text)).not.toMatch(/\p{C}/u);
          }
          const plain = (text: string) => splitUserId(text).endUser.trim();
          if (plain(one) !== plain(other)) expect(named(one)).not.toBe(named(other));
        },
      ),
    );
    const long = 'x'.repeat(257);
    expect(claimedAttribution({}, { endUser: long })?.endUser).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

test('an agent is what it says, of the known classes', () => {
  const none = { agentId: '', parentAgentId: '', agentClass: '', agentType: '' };
  expect(agentOf({ 'x-claude-code-session-id': 's' })).toEqual(none);
  expect(agentOf({ 'x-claude-code-agent-id': 'a', 'x-claude-code-parent-agent-id': 'p' })).toEqual({
    ...none,
    agentId: 'a',
    parentAgentId: 'p',
    agentClass: 'subagent',
  });
  const hints = {
    'x-claude-code-request-class': 'workflow',
    'x-claude-code-agent-type': 'Explore',
  };
  expect(agentOf(hints)).toEqual({ ...none, agentClass: 'workflow', agentType: 'Explore' });
  expect(agentOf({ 'x-claude-code-request-class': 'new' }).agentClass).toBe('other');
});

test('a record has what policy lets count, and the tags of plugins first', () => {
  const attribution = {
    endUser: 'ada',
    session: 's',
    tags: 'project:red, team:a',
    ignoredTags: [],
  };
  const plugin = new Map([['project', 'blue']]);
  expect(recordedAttribution({}, { attribution }, plugin)).toMatchObject({
    endUser: 'ada',
    session: 's',
    tags: 'project:blue, team:a',
  });
  const full = new Map(Array.from({ length: 10 }, (_, n) => [`a${String(n)}`, 'v']));
  expect(tagsIn(recordedAttribution({}, { attribution }, full).tags)).toEqual(full);
  expect(recordedAttribution({}, undefined, undefined)).toMatchObject({ endUser: '', tags: '' });
});
