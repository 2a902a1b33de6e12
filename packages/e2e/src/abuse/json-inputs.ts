import { SHAPES, type Shape } from './bodies';
import { talk } from './client';
import { KEY_STATES, keyLines, type Input, type KeyState } from './input';
import { MIB } from './limits';

// Complete JSON bodies, sent as fast as the edge reads them.

const SIZES_MIB = [1, 4, 8, 31] as const;
const SLICE_BYTES = 64 * 1024;

export function postHead(path: string, keys: string, lengthLine: string, type = JSON_TYPE): string {
  return `POST ${path} HTTP/1.1\r\nhost: edge\r\n${keys}content-type: ${type}\r\n${lengthLine}\r\n\r\n`;
}

const JSON_TYPE = 'application/json';

function jsonInput(shape: Shape, sizeMib: number, keyState: KeyState): Input {
  return {
    name: `${shape.name}, ${String(sizeMib)} MiB, ${keyState}`,
    run: async (target) => {
      const body = shape.body(sizeMib * MIB);
      const keys = keyLines(keyState, target);
      const head = postHead(shape.path, keys, `content-length: ${String(body.length)}`);
      const answers = await talk({
        port: target.port,
        signal: target.signal,
        say: async ({ send }) => {
          let open = await send(head);
          for (let at = 0; open && at < body.length; at += SLICE_BYTES) {
            open = await send(body.subarray(at, at + SLICE_BYTES));
          }
        },
      });
      return { answers };
    },
  };
}

export const JSON_INPUTS: readonly Input[] = SHAPES.flatMap((shape) =>
  SIZES_MIB.flatMap((sizeMib) => KEY_STATES.map((keyState) => jsonInput(shape, sizeMib, keyState))),
);
