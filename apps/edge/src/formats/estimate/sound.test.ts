import * as fc from 'fast-check';

import { likelySeconds, mostSeconds } from '.';

const PCM = 1;
const GSM = 0x31;
const ULAW = 7;
const EXTENSIBLE = 0xff_fe;

interface Wave {
  format?: number;
  channels?: number;
  hertz?: number;
  bits?: number;
  /** Bytes per second, as the header states them. */
  stated: number;
}

function wave({ format = PCM, channels = 1, hertz = 8_000, bits = 8, stated }: Wave): Buffer {
  const head = Buffer.alloc(64);
  head.write('RIFF....WAVEfmt ', 0, 'latin1');
  head.writeUInt16LE(format, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(hertz, 24);
  head.writeUInt32LE(stated, 28);
  head.writeUInt16LE(bits, 34);
  if (format === EXTENSIBLE) head.writeUInt16LE(PCM, 44);
  return head;
}

function flac(samples: number, hertz = 16_000): Buffer {
  const head = Buffer.alloc(64);
  head.write('fLaC', 0, 'latin1');
  head.writeUIntBE(hertz * 16, 18, 3);
  head.writeUInt8(Math.floor(samples / 2 ** 32), 21);
  head.writeUInt32BE(samples % 2 ** 32, 22);
  return head;
}

const start = (text: string): Buffer => Buffer.from(text.padEnd(64, '\0'), 'latin1');
/** The bytes of a minute at so many bytes per second. */
const minute = (rate: number): number => rate * 60;

// The duration follows from the samples, so the hold and the charge without a report are exact.
test.each<[name: string, wave: Wave, rate: number]>([
  ['CD quality', { channels: 2, hertz: 44_100, bits: 16, stated: 176_400 }, 176_400],
  ['telephone quality', { stated: 8_000 }, 8_000],
  ['telephone quality that states six channels', { stated: 6_144_000 }, 8_000],
  ['a rate left open', { hertz: 16_000, bits: 16, stated: 0 }, 32_000],
  ['a rate that no codec has', { hertz: 16_000, bits: 16, stated: 4 }, 32_000],
  ['very few samples', { hertz: 100, stated: 100 }, 100],
  ['µ-law that states samples of 64 bits', { format: ULAW, bits: 64, stated: 64_000 }, 8_000],
  ['the extensible header', { format: EXTENSIBLE, bits: 16, stated: 6_144_000 }, 16_000],
])('a WAV file of %s has the duration of its samples', (_, header, rate) => {
  const file = { bytes: minute(rate), head: wave(header) };
  expect(likelySeconds(file)).toBe(60);
  expect(mostSeconds(file)).toBe(60);
});

test('a WAV file that states less than its samples is held as stated, and charged by the samples', () => {
  const file = { bytes: minute(32_000), head: wave({ hertz: 16_000, bits: 16, stated: 1_000 }) };
  expect(likelySeconds(file)).toBe(60);
  expect(mostSeconds(file)).toBe(60 * 32);
});

test.each([500, 1_625, 13_000])(
  'a compressed WAV file is charged by the %d bytes a second that it states',
  (stated) => {
    const file = { bytes: minute(stated), head: wave({ format: GSM, bits: 0, stated }) };
    expect(likelySeconds(file)).toBe(60);
  },
);

test.each([
  ['GSM 6.10', wave({ format: GSM, bits: 0, stated: 1_625 }), 1_625],
  ['GSM 6.10 that states far more', wave({ format: GSM, bits: 0, stated: 6_144_000 }), 1_625],
  ['G.723.1', wave({ format: 0x42, bits: 0, stated: 663 }), 663],
  ['a codec of 4 kbit/s', wave({ format: 0x99, bits: 0, stated: 500 }), 500],
  ['Opus', start('OggS'), 750],
  ['Opus in WebM', start('\x1aE\xdf\xa3'), 750],
  ['AMR', start('#!AMR\n'), 600],
  ['MP3', start('ID3'), 1_000],
  ['FLAC that states one sample', flac(1), 5_000],
  ['FLAC that states nothing', flac(0), 5_000],
  ['FLAC of silence', flac(60 * 16_000), 47],
  ['FLAC of so much silence that it needs long numbers', flac(60 * 192_000, 192_000), 47],
  ['a WAV file whose header is cut off', wave({ stated: 6_144_000 }).subarray(0, 20), 750],
])('at its lowest rate %s is held in full', (_, head, rate) => {
  expect(mostSeconds({ bytes: minute(rate), head })).toBeGreaterThanOrEqual(60);
});

test.each([
  ['ID3', 1_000],
  ['\xff\xfb\x90', 1_000],
  ['OggS', 750],
  ['fLaC', 4_000],
  ['#!AMR', 600],
])('a compressed file that begins with %j is held at %d bytes a second', (begins, rate) => {
  expect(mostSeconds({ bytes: minute(rate), head: start(begins) })).toBe(60);
});

test('a compressed file without a report is charged as usual speech', () => {
  for (const head of [start('OggS'), start('ID3'), wave({ format: GSM, stated: 6_144_000 })]) {
    expect(likelySeconds({ bytes: minute(8_000), head })).toBe(60);
  }
  expect(likelySeconds({ bytes: minute(16_000), head: flac(1) })).toBe(60);
});

test('whatever a header says, the hold covers the charge, and both are numbers of seconds', () => {
  const known = fc.constantFrom('RIFF....WAVEfmt ', 'fLaC', 'OggS', '');
  const tail = fc.uint8Array({ maxLength: 64 });
  const size = fc.integer({ min: 0, max: 2_000_000_000 });
  fc.assert(
    fc.property(known, tail, size, (kind, rest, bytes) => {
      const head = Buffer.concat([Buffer.from(kind, 'latin1'), rest]).subarray(0, 64);
      const most = mostSeconds({ bytes, head });
      const likely = likelySeconds({ bytes, head });
      expect(likely).toBeGreaterThanOrEqual(0);
      expect(most).toBeGreaterThanOrEqual(likely);
      expect(most).toBeLessThanOrEqual(10_000_000);
    }),
  );
});
