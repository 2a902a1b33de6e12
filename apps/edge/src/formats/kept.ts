// What a stream has said, kept until its provider says how long that is: where it never does, the
// kept text is counted by a tokeniser. Kept as it stood on the wire, to be read only when it is
// asked for.

/** What one stream may make us keep, in characters as they are kept. */
export const KEPT_CHARACTERS = 256 * 1024;
/** Slices of what was read keep all of it in memory, so they are copied together when there are many. */
const COPY_AT = 64;

export interface KeptOutput {
  /** What was said, by voice: of each answer its text, its reasoning, each call of a tool. */
  texts: string[];
  /** How much of the output, in characters as they are kept, the texts are, and how much they are not. */
  keptCharacters: number;
  moreCharacters: number;
  /** Sound and pictures, in bytes as they were written. */
  opaqueBytes: number;
  /** Tokens of what went before, which the provider has counted. */
  countedTokens: number;
}

export interface Kept {
  /** A piece of output of one channel: pieces of the same one go on from each other. */
  add(channel: number, piece: string): void;
  /** Output that is no text. */
  opaque(bytes: number): void;
  /** The provider has counted all there was, so that nothing of it is needed any more. */
  drop(): void;
  /** As said before, but the count is no longer the last word: what follows goes on from it. */
  resume(countedTokens: number): void;
  read(): KeptOutput;
}

/** How a format keeps output: what it puts between pieces, and what all those of a channel say. */
export interface KeptReader {
  separator: string;
  read(channel: number, pieces: string): Pick<KeptOutput, 'texts'> & { opaqueBytes?: number };
}

interface Run {
  whole: string;
  fresh: string[];
}

export function createKept(reader: KeptReader): Kept {
  const { separator } = reader;
  const runs = new Map<number, Run>();
  let latest: Run | undefined;
  let latestChannel = -1;
  let kept = 0;
  let more = 0;
  let opaque = 0;
  let counted = 0;

  function runOf(channel: number): Run {
    let run = runs.get(channel);
    if (run === undefined) runs.set(channel, (run = { whole: '', fresh: [] }));
    latestChannel = channel;
    return (latest = run);
  }

  function joined({ whole, fresh }: Run): string {
    if (fresh.length === 0) return whole;
    const said = fresh.join(separator);
    return whole === '' ? said : whole + separator + said;
  }

  return {
    add(channel, piece) {
      const { length } = piece;
      // Once something was left out the rest cannot go on from what was kept.
      if (more > 0 || kept + length > KEPT_CHARACTERS) {
        more += length;
        return;
      }
      kept += length;
      const run = latest !== undefined && channel === latestChannel ? latest : runOf(channel);
      if (run.fresh.push(piece) < COPY_AT) return;
      run.whole = joined(run);
      run.fresh = [];
    },
    opaque(bytes) {
      opaque += bytes;
    },
    drop() {
      if (runs.size > 0) runs.clear();
      latest = undefined;
      kept = more = opaque = 0;
    },
    resume(countedTokens) {
      counted = countedTokens;
    },
    read() {
      const said = [...runs].map(([channel, run]) => reader.read(channel, joined(run)));
      return {
        texts: said.flatMap(({ texts }) => texts),
        keptCharacters: kept,
        moreCharacters: more,
        opaqueBytes: said.reduce((sum, { opaqueBytes = 0 }) => sum + opaqueBytes, opaque),
        countedTokens: counted,
      };
    },
  };
}

/** Pieces that are text already. */
export const PLAIN_PIECES: KeptReader = { separator: '', read: (_, said) => ({ texts: [said] }) };

/** Pieces that stood between the quotes of a JSON string, one character per byte. */
export const LITERAL_PIECES: KeptReader = {
  separator: '',
  read: (_, said) => ({ texts: [textOfLiteral(said)] }),
};

/** What was between the quotes; as it is, where it cannot be read. */
export function textOfLiteral(literal: string): string {
  const text = Buffer.from(literal, 'latin1').toString('utf8');
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/** Text as it stands in JSON, one character per byte, without what is around it. */
export function literalOf(text: string): string {
  return jsonOf(text).slice(1, -1);
}

export function jsonOf(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('latin1');
}
