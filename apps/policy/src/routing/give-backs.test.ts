import { createLogger } from '@tollgate/kit';

import { StoreUnavailableError, type UnrouteItem } from '../store';
import { whileChosen, type Choice, type ToGiveBack } from './choose';
import { createGiveBacks } from './give-backs';

const log: string[] = [];
const logger = createLogger({ service: 'test', level: 'error', write: (line) => log.push(line) });
const probe = { modelId: 'm', providerId: 'p', untilMs: 5 };

beforeEach(() => log.splice(0));

function bench(unroute: () => Promise<void>) {
  const sent: UnrouteItem[] = [];
  const giveBacks = createGiveBacks({
    store: {
      unroute: (item) => {
        sent.push(item);
        return unroute();
      },
    },
    log: logger,
  });
  const toGiveBack: ToGiveBack[] = [];
  const choice = (probed = true): Choice => ({
    routing: {} as never,
    firstModelId: 'm0',
    candidates: [],
    leftOut: [],
    rememberPlace: false,
    probe: probed ? probe : undefined,
    giveBack: (what) => {
      toGiveBack.push(what);
      const turn = { set: '3', number: 1, apiKeyId: 'k', policyId: 'r' };
      giveBacks.give({
        shard: 1,
        turn: what.turn ? turn : undefined,
        probe: what.probe ? probe : undefined,
      });
    },
  });
  return { giveBacks, sent, toGiveBack, choice };
}

test('a refusal does not wait until its turn is given back, and nothing of it is lost', async () => {
  let taken = (): void => {};
  const { giveBacks, sent, choice } = bench(
    () =>
      new Promise((resolve) => {
        taken = resolve;
      }),
  );
  const reply = await whileChosen(choice(), () => Promise.resolve('refused'));
  expect(reply).toBe('refused');
  expect(sent).toHaveLength(1);
  let idle = false;
  const stopped = giveBacks.idle().then(() => {
    idle = true;
  });
  await Promise.resolve();
  expect(idle).toBe(false);
  taken();
  await stopped;
});

test('what a request goes its way with stays its own', async () => {
  const { sent, toGiveBack, choice } = bench(() => Promise.resolve());
  const kept = (...modelIds: string[]) =>
    whileChosen(choice(), (keep) => {
      keep(modelIds);
      return Promise.resolve();
    });
  await kept('m', 'n');
  expect(sent).toEqual([]);
  await kept('n');
  expect(sent).toEqual([{ shard: 1, turn: undefined, probe }]);
  const broken = whileChosen(choice(false), () => Promise.reject(new Error('broken')));
  await expect(broken).rejects.toThrow('broken');
  expect(toGiveBack.at(-1)).toEqual({ turn: true, probe: true });
});

test('a store that is away loses a turn, and anything else is said', async () => {
  const away = bench(() => Promise.reject(new StoreUnavailableError('away')));
  away.giveBacks.give({ shard: 1, turn: undefined, probe });
  await away.giveBacks.idle();
  expect(log).toEqual([]);
  const wrong = bench(() => Promise.reject(new Error('a bug')));
  wrong.giveBacks.give({ shard: 1, turn: undefined, probe });
  await wrong.giveBacks.idle();
  expect(log.join('')).toContain('a bug');
});
