import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { bodyFor, readPeers } from '../gateway/peers';
import type { BurstRow } from './burst';
import type { KillRow } from './kill';
import { parseLimits } from './options';
import { countIn } from './peer';
import { breachesOf } from './promises';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-peers-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(peers: unknown): string {
  const file = join(folder, 'peers.json');
  writeFileSync(file, JSON.stringify(peers));
  return file;
}

const peer = { name: 'other', url: 'http://127.0.0.1:8/' };

describe('the file of peers', () => {
  test('has defaults, and a process may stand alone', () => {
    expect(readPeers(fileOf([{ ...peer, pid: 7 }]))).toEqual([
      {
        name: 'other',
        url: 'http://127.0.0.1:8',
        headers: { authorization: 'Bearer sk-bench' },
        model: '{model}',
        body: {},
        pids: { other: 7 },
      },
    ]);
    expect(readPeers(fileOf([{ ...peer, pid: { web: 7, worker: 8 } }]))[0]?.pids).toEqual({
      web: 7,
      worker: 8,
    });
  });

  test.each([
    ['a field that it does not have', [{ ...peer, port: 1 }], 'port'],
    ['another protocol', [{ ...peer, url: 'https://127.0.0.1' }], '0.url'],
    ['no process', [{ ...peer, pid: 0 }], '0.pid'],
    ['one name twice', [peer, peer], 'a name of its own'],
    ['no list', peer, 'array'],
  ])('%s is refused', (_, peers, named) => {
    expect(() => readPeers(fileOf(peers))).toThrow(named);
  });

  test('a file that is not there is refused by name', () => {
    expect(() => readPeers(join(folder, 'none.json'))).toThrow('none.json');
  });

  test('model names and further fields are written into bodies', () => {
    const rules = { model: 'openai/{model}', body: { user: 'bench' } };
    expect(JSON.parse(bodyFor(rules, '{"model":"small","messages":[]}'))).toEqual({
      model: 'openai/small',
      messages: [],
      user: 'bench',
    });
  });
});

describe('options', () => {
  test('match the help text', () => {
    expect(parseLimits([])).toMatchObject({
      tollgate: true,
      burst: true,
      kill: true,
      seconds: 4,
      inFlight: 100,
    });
    expect(parseLimits(['--only', 'burst'])).toMatchObject({ burst: true, kill: false });
    expect(parseLimits(['--help'])).toBeUndefined();
  });
  test.each([
    [['--only', 'all'], '--only'],
    [['--seconds', '0'], '--seconds'],
    [['--in-flight', 'x'], '--in-flight'],
    [['--upstream-port', '80'], '--upstream-port'],
  ])('%j is refused with the name of the option', (args, name) => {
    expect(() => parseLimits(args)).toThrow(name);
  });
});

const row: BurstRow = {
  name: 'tollgate',
  asked: 200,
  affordable: 20,
  served: 20,
  began: 20,
  answers: { 200: 20, 402: 180 },
};
const killed: KillRow = {
  name: 'tollgate',
  killed: 'edge',
  answered: 900,
  began: 1_000,
  recorded: 1_000,
  mayLose: 0,
  answers: { 200: 900 },
};

describe('our promises', () => {
  test.each([
    ['kept', [row], [killed], []],
    ['more than the budget', [{ ...row, began: 21 }], [], ['21 requests on a budget for 20']],
    ['less than the budget', [{ ...row, served: 19 }], [], ['only 19 of 20 were served']],
    [
      'an answer without a record',
      [],
      [{ ...killed, recorded: 999 }],
      ['edge killed: the provider began 1000, 999 are recorded'],
    ],
    ['what may be lost with two', [], [{ ...killed, mayLose: 50, recorded: 950 }], []],
    [
      'more than may be lost',
      [],
      [{ ...killed, killed: 'both', mayLose: 50, recorded: 949 }],
      ['both killed: the provider began 1000, 949 are recorded'],
    ],
    ['another gateway’s', [{ ...row, name: 'other', began: 200 }], [], []],
  ])('%s', (_, bursts, kills, breaches) => {
    expect(breachesOf({ bursts, kills })).toEqual(breaches);
  });

  test('a count of records is a number', () => {
    expect(countIn('other', ' 12\n')).toBe(12);
    expect(() => countIn('other', '')).toThrow('other');
    expect(() => countIn('other', '1 row')).toThrow('"1 row"');
  });
});
