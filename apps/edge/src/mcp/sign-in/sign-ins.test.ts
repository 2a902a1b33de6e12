import { createSignIns } from './sign-ins';

function rig() {
  const state = {
    nowMs: 0,
    asked: [] as string[],
    away: false,
    version: '1',
    issuer: 'https://id.example',
  };
  const signIns = createSignIns({
    nowMs: () => state.nowMs,
    fetch: async (organisation) => {
      state.asked.push(organisation);
      if (state.away) throw new Error('away');
      if (organisation !== 'acme') return undefined;
      const { issuer, version } = state;
      return {
        organisationId: 'o',
        version: Number(version),
        issuer,
        audiences: [],
        scopes: [],
        rules: [],
      };
    },
  });
  return { state, signIns };
}

test('settings are kept for five seconds, and a change counts after that', async () => {
  const { signIns, state } = rig();
  const first = await signIns.of('acme');
  state.version = '2';
  state.issuer = 'https://other.example';
  state.nowMs = 4_999;
  expect(await signIns.of('acme')).toBe(first);
  state.nowMs = 5_000;
  expect(await signIns.of('acme')).toMatchObject({ issuer: 'https://other.example' });
  expect(state.asked).toHaveLength(2);
});

test('that there is none is kept, too, and callers at once share a lookup', async () => {
  const { signIns, state } = rig();
  await Promise.all([signIns.of('nobody'), signIns.of('nobody'), signIns.of('nobody')]);
  expect(await signIns.of('nobody')).toBeUndefined();
  expect(state.asked).toEqual(['nobody']);
});

test('a name that is no slug is not looked up', async () => {
  const { signIns, state } = rig();
  for (const name of ['', 'A', '-a', 'a'.repeat(64), '../x']) {
    expect(await signIns.of(name)).toBeUndefined();
  }
  expect(state.asked).toEqual([]);
});

test('made-up slugs are looked up fifty times a second at most', async () => {
  const { signIns, state } = rig();
  const lookups = Array.from({ length: 60 }, (_, n) => signIns.of(`made-up-${n}`));
  const ended = await Promise.allSettled(lookups);
  expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(10);
  expect(state.asked).toHaveLength(50);
  state.nowMs = 1_000;
  await signIns.of('one-more');
});

test('while the catalog is away what is known goes on for a minute', async () => {
  const { signIns, state } = rig();
  const first = await signIns.of('acme');
  state.away = true;
  state.nowMs = 59_999;
  expect(await signIns.of('acme')).toBe(first);
  state.nowMs = 60_000;
  await expect(signIns.of('acme')).rejects.toMatchObject({ code: 'dependency_unavailable' });
});
