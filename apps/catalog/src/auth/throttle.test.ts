import { afterAttempt, networkOf } from './throttle';

describe('the wait', () => {
  it('begins with the attempt that uses up what is allowed, doubles, and has an end', () => {
    let standing = { failures: 0, blockedUntilMs: 0 };
    const waits: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      standing = afterAttempt(standing, 3, 1_000_000);
      waits.push(Math.max(0, standing.blockedUntilMs - 1_000_000) / 1000);
    }
    expect(waits).toEqual([0, 0, 60, 120, 240, 480, 900, 900, 900, 900, 900, 900]);
  });
});

describe('an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
