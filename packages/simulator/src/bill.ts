// The simulator's bill: a line for each request that generated output or was answered, and totals
// by model and by API key. Totals count every request; the number of lines is bounded.

/** Tokens in disjoint classes; `reasoning` is a part of `output`. */
export interface BilledUsage {
  input: number;
  cacheRead: number;
  /** Written for the default five minutes. */
  cacheWrite: number;
  cacheWrite1h: number;
  audioInput: number;
  /** Where the format reports images apart from text. */
  imageInput: number;
  output: number;
  audioOutput: number;
  imageOutput: number;
  reasoning: number;
}

/** Units that are charged per piece. */
export interface BilledUnits {
  images?: { count: number; size: string; quality: string };
  /** Seconds of transcribed audio, rounded up. */
  audioSeconds?: number;
  /** Characters of speech input. */
  characters?: number;
  webSearches?: number;
  codeContainers?: number;
}

export interface BillLine {
  /** The answer's id, as sent to the client. */
  id: string;
  /** The name of the route's operation: `chat`, `messages`, `embeddings` and so on. */
  operation: string;
  model: string;
  /** The key as sent, because the simulator's keys are not secret. */
  apiKey: string;
  stream: boolean;
  /** Whether the whole answer was sent. */
  completed: boolean;
  /** Tokens generated until the answer was complete or aborted, over all choices. */
  generatedTokens: number;
  usage: BilledUsage;
  units: BilledUnits;
  /** Processing tiers that change the price, such as `priority`; absent: standard. */
  tiers?: string;
}

export interface BillTotal extends BilledUsage {
  requests: number;
  completed: number;
  aborted: number;
  images: number;
  audioSeconds: number;
  characters: number;
  webSearches: number;
  codeContainers: number;
}

export interface Bill {
  total: BillTotal;
  models: Record<string, BillTotal>;
  apiKeys: Record<string, BillTotal>;
  requests: BillLine[];
  /** Lines that are counted but no longer listed. */
  forgottenLines: number;
}

export interface BillBook {
  charge(line: BillLine): void;
  read(filter: { model?: string | undefined; apiKey?: string | undefined }): Bill;
  reset(): void;
}

/** Further names share one total. */
const MAX_TOTALS = 10_000;
const THE_REST = '(others)';

export function createBillBook(maxLines: number): BillBook {
  let lines: BillLine[] = [];
  let forgotten = 0;
  let total = emptyTotal();
  const models = new Map<string, BillTotal>();
  const apiKeys = new Map<string, BillTotal>();

  return {
    charge(line) {
      add(total, line);
      add(totalOf(models, line.model), line);
      add(totalOf(apiKeys, line.apiKey), line);
      lines.push(line);
      // Dropped in bulk, because removing the first element moves all the others.
      if (lines.length > maxLines * 1.25 + 1) {
        forgotten += lines.length - maxLines;
        lines = maxLines === 0 ? [] : lines.slice(-maxLines);
      }
    },
    read: ({ model, apiKey }) => ({
      total,
      models: Object.fromEntries(models),
      apiKeys: Object.fromEntries(apiKeys),
      requests: lines.filter(
        (line) =>
          (model === undefined || line.model === model) &&
          (apiKey === undefined || line.apiKey === apiKey),
      ),
      forgottenLines: forgotten,
    }),
    reset() {
      lines = [];
      forgotten = 0;
      total = emptyTotal();
      models.clear();
      apiKeys.clear();
    },
  };
}

function totalOf(totals: Map<string, BillTotal>, name: string): BillTotal {
  const known = totals.get(name);
  if (known !== undefined) return known;
  if (totals.size >= MAX_TOTALS && name !== THE_REST) return totalOf(totals, THE_REST);
  const fresh = emptyTotal();
  totals.set(name, fresh);
  return fresh;
}

export function emptyUsage(): BilledUsage {
  return {
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
    audioInput: 0,
    imageInput: 0,
    output: 0,
    audioOutput: 0,
    imageOutput: 0,
    reasoning: 0,
  };
}

function emptyTotal(): BillTotal {
  return {
    requests: 0,
    completed: 0,
    aborted: 0,
    ...emptyUsage(),
    images: 0,
    audioSeconds: 0,
    characters: 0,
    webSearches: 0,
    codeContainers: 0,
  };
}

const CLASSES = Object.keys(emptyUsage()) as (keyof BilledUsage)[];

function add(total: BillTotal, { completed, units, usage }: BillLine): void {
  total.requests += 1;
  if (completed) total.completed += 1;
  else total.aborted += 1;
  for (const name of CLASSES) total[name] += usage[name];
  total.images += units.images?.count ?? 0;
  total.audioSeconds += units.audioSeconds ?? 0;
  total.characters += units.characters ?? 0;
  total.webSearches += units.webSearches ?? 0;
  total.codeContainers += units.codeContainers ?? 0;
}
