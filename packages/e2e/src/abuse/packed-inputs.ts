import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';

import { talk } from './client';
import { KEY_STATES, keyLines, type Input, type KeyState } from './input';
import { postHead } from './json-inputs';
import { MIB } from './limits';

// Small compressed bodies that decompress to a lot: a gibibyte, where many members can be
// concatenated.

const UNPACKED_MIB = 1_024;
const BROTLI_MIB = 128;
const PIECE_MIB = 16;

const PACKERS = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync } as const;
type Packing = keyof typeof PACKERS;

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

function bomb(packing: Packing): Buffer {
  if (packing === 'br') return brotliCompressSync(Buffer.alloc(BROTLI_MIB * MIB, ' '), FAST);
  const piece = PACKERS[packing](Buffer.alloc(PIECE_MIB * MIB, ' '));
  return Buffer.alloc(piece.length * (UNPACKED_MIB / PIECE_MIB), piece);
}

const bombInput = (packing: Packing, keyState: KeyState): Input => ({
  name: `packed: ${packing} bomb, ${keyState}`,
  run: async (target) => {
    const body = bomb(packing);
    const keys = `${keyLines(keyState, target)}content-encoding: ${packing}\r\n`;
    const head = postHead('/v1/chat/completions', keys, `content-length: ${String(body.length)}`);
    const answers = await talk({
      port: target.port,
      signal: target.signal,
      say: async ({ send }) => {
        if (await send(head)) await send(body);
      },
    });
    return { answers };
  },
});

export const PACKED_INPUTS: readonly Input[] = (Object.keys(PACKERS) as Packing[]).flatMap(
  (packing) => KEY_STATES.map((keyState) => bombInput(packing, keyState)),
);
