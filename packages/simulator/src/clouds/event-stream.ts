// The framing of Bedrock's streams (application/vnd.amazon.eventstream), written from its description:
// https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html

import { crc32 } from 'node:zlib';

export const AWS_EVENT_STREAM = 'application/vnd.amazon.eventstream';
const STRING = 7;
/** Of the prelude (two lengths), and of each of the two checksums. */
const PRELUDE_BYTES = 8;
const CRC_BYTES = 4;

export function frameOf(headers: Readonly<Record<string, string>>, payload: Buffer): Buffer {
  const written = Buffer.concat(
    Object.entries(headers).map(([name, value]) => header(name, value)),
  );
  const total = PRELUDE_BYTES + CRC_BYTES + written.length + payload.length + CRC_BYTES;
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(written.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), written, payload]);
  return Buffer.concat([message, checksum(message)]);
}

function header(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.of(key.length), key, Buffer.of(STRING), length, text]);
}

function checksum(bytes: Buffer): Buffer {
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32BE(crc32(bytes));
  return crc;
}

/** Events of the messages format, in frames. Comments and pings have none. */
export function framed(sse: string): Buffer {
  const frames = sse.split('\n\n').flatMap((event) => {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) return [];
    const payload = JSON.stringify({ bytes: Buffer.from(data).toString('base64') });
    return frameOf(
      { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
      Buffer.from(payload),
    );
  });
  return Buffer.concat(frames);
}

export function exceptionFrame(type: string, message: string): Buffer {
  return frameOf(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    Buffer.from(JSON.stringify({ message })),
  );
}
