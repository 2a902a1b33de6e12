// Buffers the output of a stream until its provider reports usage. Without a report, the tokeniser
// counts the buffered text. Pieces stay in wire form and are decoded only when the buffer is read.

/** The most that is buffered of one stream, in characters of wire form. */
export const MAX_BUFFERED_CHARACTERS = 256 * 1024;
/** A slice keeps its whole source string in memory, so this many slices are joined into a copy. */
const COPY_AT = 64;

export interface BufferedOutput {
  /** One text per channel: the text, the reasoning and each tool call of each choice. */
  texts: string[];
  /** Output inside and outside of `texts`, in characters of wire form. */
  bufferedCharacters: number;
  unbufferedCharacters: number;
  /** Audio and images, in bytes on the wire. */
  opaqueBytes: number;
  /** Output tokens that the provider counted before the buffered output. */
  countedTokens: number;
}

export interface OutputBuffer {
  /** Appends a piece of output to a channel. */
  add(channel: number, piece: string): void;
  /** Counts output that is not text. */
  addOpaque(bytes: number): void;
  /** Discards the buffered output, because the provider has counted it. */
  clear(): void;
  /** Sets the count that later output is added to: the provider's count no longer covers everything. */
  resume(countedTokens: number): void;
  read(): BufferedOutput;
}

/** How a format buffers output: the separator between pieces, and how a channel's pieces are read. */
export interface BufferReader {
  separator: string;
  read(channel: number, pieces: string): Pick<BufferedOutput, 'texts'> & { opaqueBytes?: number };
}

interface Channel {
  joined: string;
  /** Pieces since the last join. */
  recent: string[];
}

export function createOutputBuffer(reader: BufferReader): OutputBuffer {
  const { separator } = reader;
  const channels = new Map<number, Channel>();
  let latest: Channel | undefined;
  let latestNumber = -1;
  let buffered = 0;
  let unbuffered = 0;
  let opaque = 0;
  let counted = 0;

  function openChannel(number: number): Channel {
    let channel = channels.get(number);
    if (channel === undefined) channels.set(number, (channel = { joined: '', recent: [] }));
    latestNumber = number;
    return (latest = channel);
  }

  function join({ joined, recent }: Channel): string {
    if (recent.length === 0) return joined;
    const text = recent.join(separator);
    return joined === '' ? text : joined + separator + text;
  }

  return {
    add(number, piece) {
      const { length } = piece;
      // After a gap, later pieces cannot continue the buffered ones.
      if (unbuffered > 0 || buffered + length > MAX_BUFFERED_CHARACTERS) {
        unbuffered += length;
        return;
      }
      buffered += length;
      const channel =
        latest !== undefined && number === latestNumber ? latest : openChannel(number);
      if (channel.recent.push(piece) < COPY_AT) return;
      channel.joined = join(channel);
      channel.recent = [];
    },
    addOpaque(bytes) {
      opaque += bytes;
    },
    clear() {
      if (channels.size > 0) channels.clear();
      latest = undefined;
      buffered = unbuffered = opaque = 0;
    },
    resume(countedTokens) {
      counted = countedTokens;
    },
    read() {
      const read = [...channels].map(([number, channel]) => reader.read(number, join(channel)));
      return {
        texts: read.flatMap(({ texts }) => texts),
        bufferedCharacters: buffered,
        unbufferedCharacters: unbuffered,
        opaqueBytes: read.reduce((sum, { opaqueBytes = 0 }) => sum + opaqueBytes, opaque),
        countedTokens: counted,
      };
    },
  };
}

/** Pieces are plain text. */
export const PLAIN_TEXT: BufferReader = { separator: '', read: (_, said) => ({ texts: [said] }) };

/** Pieces are the inside of a JSON string, one character per byte. */
export const JSON_STRING: BufferReader = {
  separator: '',
  read: (_, said) => ({ texts: [textOfStringBody(said)] }),
};

/** Decodes the inside of a JSON string; returns it unchanged if it is malformed. */
export function textOfStringBody(literal: string): string {
  const text = Buffer.from(literal, 'latin1').toString('utf8');
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/** Text as the inside of a JSON string, one character per byte. */
export function jsonStringBody(text: string): string {
  return latin1Json(text).slice(1, -1);
}

/** A value as JSON, one character per byte. */
export function latin1Json(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('latin1');
}
