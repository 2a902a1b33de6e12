import { dimensionsText, readEntry } from './ledger-entry';

const WHO = {
  ORGANISATION: 'o1',
  TEAM: '',
  USER: 'u1',
  API_KEY: 'k1',
  MODEL: '',
  MCP_SERVER: '',
};

function read(dimensions: string) {
  const fields = {
    r: 'request',
    m: 'SETTLED',
    l: '0',
    at: '1',
    ct: '2',
    u: '1 0 0 0 0 0 0',
    d: dimensions,
    c: '',
    x: '',
    p: '{}',
  };
  return readEntry(['7-0', Object.entries(fields).flat()]);
}

test('an entry without an MCP server is written as earlier releases wrote it', () => {
  expect(dimensionsText(WHO)).toBe('o1 - u1 k1 -');
  expect(read('o1 - u1 k1 -')).toMatchObject({ seq: 7, dimensions: WHO });
});

test('an entry with an MCP server is read back', () => {
  const called = { ...WHO, MCP_SERVER: 's1' };
  expect(read(dimensionsText(called))).toMatchObject({ dimensions: called });
});

test('an entry with too few or too many dimensions is unreadable', () => {
  for (const text of ['o1 - u1 k1', 'o1 - u1 k1 - s1 x']) {
    expect(read(text)).toMatchObject({ seq: 7, problem: expect.stringContaining('TypeError') });
  }
});
