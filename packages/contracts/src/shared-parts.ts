import type {
  Allow,
  Allow__Output,
  Candidate,
  Candidate__Output,
  LimitState,
  LimitState__Output,
  SessionReply__Output,
  SharedPart,
  Subject,
  Subject__Output,
} from './generated';

// What the allows of many requests have in common (who asks, models with their prices, limits) is
// sent once in a session and named by its id afterwards. Both directions side by side. Parts are
// compared by value, so a changed plan makes new ones.

/** The sender's side of one session. */
export interface SharedParts {
  /** Call before the first allow of a frame. True: earlier ids name nothing any more. */
  readonly begin: () => boolean;
  /** The allow with ids, and new parts in `made`. */
  readonly name: (allow: Allow, made: SharedPart[]) => Allow;
}

/** The receiver's side of one session. */
export interface KnownParts {
  /** Takes a frame's parts. */
  readonly take: (frame: Pick<SessionReply__Output, 'shared' | 'sharedCleared'>) => void;
  /** Fills in what the allow names by id. Throws a RangeError for an id that names nothing. */
  readonly fill: (allow: Allow__Output) => void;
}

/** The sender starts over with the frame after this number of parts. */
const PARTS_MAX = 4_096;
/** Within a frame it names nothing more from this multiple on, and sends allows whole. */
const FRAME_FACTOR = 4;
/** Well above what a sender comes to. */
const PARTS_KNOWN_MAX = 65_536;

interface Named<T> {
  readonly id: number;
  readonly part: T;
}

export function createSharedParts(partsMax: number = PARTS_MAX): SharedParts {
  let names = emptyNames();
  return {
    begin: () => {
      if (names.lastId <= partsMax) return false;
      names = emptyNames();
      return true;
    },
    name: (allow, made) => {
      if (names.lastId >= partsMax * FRAME_FACTOR) return allow;
      const { subject, candidates = [], limits = [] } = allow;
      const subjectId = subject ? nameSubject(names, subject, made) : 0;
      return {
        ...allow,
        subject: null,
        subjectId,
        candidates: candidates.map((one) => nameCandidate(names, one, made)),
        limits: limits.map((one) => nameLimit(names, one, made)),
      };
    },
  };
}

interface Names {
  readonly subjects: Map<string, Named<Subject>>;
  readonly candidates: Map<string, Named<Candidate>>;
  readonly limits: Map<string, Named<LimitState>>;
  lastId: number;
}

function emptyNames(): Names {
  return { subjects: new Map(), candidates: new Map(), limits: new Map(), lastId: 0 };
}

function nameSubject(names: Names, subject: Subject, made: SharedPart[]): number {
  const key = subject.apiKeyId ?? '';
  const named = names.subjects.get(key);
  if (named !== undefined && isSameSubject(named.part, subject)) return named.id;
  const id = (names.lastId += 1);
  names.subjects.set(key, { id, part: subject });
  made.push({ id, subject });
  return id;
}

function nameCandidate(names: Names, candidate: Candidate, made: SharedPart[]): Candidate {
  const key = candidate.modelId ?? '';
  const named = names.candidates.get(key);
  if (named !== undefined && isSameCandidate(named.part, candidate)) {
    return ownCandidate(candidate, named.id);
  }
  const id = (names.lastId += 1);
  names.candidates.set(key, { id, part: candidate });
  made.push({ id, candidate: sharedCandidate(candidate) });
  return ownCandidate(candidate, id);
}

function nameLimit(names: Names, limit: LimitState, made: SharedPart[]): LimitState {
  const key = limit.limitId ?? '';
  const named = names.limits.get(key);
  if (named !== undefined && isSameLimit(named.part, limit)) return ownLimit(limit, named.id);
  const id = (names.lastId += 1);
  names.limits.set(key, { id, part: limit });
  made.push({ id, limit: sharedLimit(limit) });
  return ownLimit(limit, id);
}

export function createKnownParts(): KnownParts {
  let subjects = new Map<number, Subject__Output>();
  let candidates = new Map<number, Candidate__Output>();
  let limits = new Map<number, LimitState__Output>();
  return {
    take: ({ shared, sharedCleared }) => {
      if (sharedCleared) {
        subjects = new Map();
        candidates = new Map();
        limits = new Map();
      }
      for (const { id, subject, candidate, limit } of shared) {
        if (subject) subjects.set(id, subject);
        if (candidate) candidates.set(id, candidate);
        if (limit) limits.set(id, limit);
      }
      if (subjects.size + candidates.size + limits.size > PARTS_KNOWN_MAX) {
        throw new RangeError('a session has too many shared parts');
      }
    },
    fill: (allow) => {
      if (allow.subjectId !== 0) allow.subject = known(subjects, allow.subjectId);
      for (const candidate of allow.candidates) {
        if (candidate.sharedId !== 0) {
          fillCandidate(candidate, known(candidates, candidate.sharedId));
        }
      }
      for (const limit of allow.limits) {
        if (limit.sharedId !== 0) fillLimit(limit, known(limits, limit.sharedId));
      }
    },
  };
}

function known<T>(parts: ReadonlyMap<number, T>, id: number): T {
  const part = parts.get(id);
  if (part === undefined) throw new RangeError(`the shared part ${String(id)} is not known`);
  return part;
}

// The encoder leaves out what is undefined.
type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };
const defined = <T>(message: T): Defined<T> => message as Defined<T>;

const isSameSubject = (a: Subject, b: Subject): boolean =>
  a === b ||
  (a.organisationId === b.organisationId &&
    a.teamId === b.teamId &&
    a.userId === b.userId &&
    a.apiKeyId === b.apiKeyId &&
    a.apiKeyName === b.apiKeyName &&
    a.apiKeyType === b.apiKeyType &&
    a.organisationSlug === b.organisationSlug);

// Prices by identity: a plan has one object for each.
const isSameCandidate = (a: Candidate, b: Candidate): boolean =>
  a.modelId === b.modelId &&
  a.modelName === b.modelName &&
  a.upstreamModel === b.upstreamModel &&
  a.modelType === b.modelType &&
  a.providerId === b.providerId &&
  a.providerType === b.providerType &&
  a.providerLabel === b.providerLabel &&
  a.upstreamFormat === b.upstreamFormat &&
  a.price === b.price &&
  a.contextTokens === b.contextTokens &&
  a.defaultMaxOutputTokens === b.defaultMaxOutputTokens &&
  a.nativeResponses === b.nativeResponses &&
  a.region === b.region;

/** What each request has of its own. */
const ownCandidate = (candidate: Candidate, sharedId: number): Candidate =>
  defined({
    connectionVersion: candidate.connectionVersion,
    maxOutputTokens: candidate.maxOutputTokens,
    outputInSteps: candidate.outputInSteps,
    heldOutputTokens: candidate.heldOutputTokens,
    estimateNanoUsd: candidate.estimateNanoUsd,
    timeouts: candidate.timeouts,
    probe: candidate.probe,
    maxToolCalls: candidate.maxToolCalls,
    outputBoundUnsent: candidate.outputBoundUnsent,
    outputStepTokens: candidate.outputStepTokens,
    serviceTier: candidate.serviceTier,
    sharedId,
  });

const sharedCandidate = (candidate: Candidate): Candidate =>
  defined({
    modelId: candidate.modelId,
    modelName: candidate.modelName,
    upstreamModel: candidate.upstreamModel,
    modelType: candidate.modelType,
    providerId: candidate.providerId,
    providerType: candidate.providerType,
    providerLabel: candidate.providerLabel,
    upstreamFormat: candidate.upstreamFormat,
    price: candidate.price,
    contextTokens: candidate.contextTokens,
    defaultMaxOutputTokens: candidate.defaultMaxOutputTokens,
    nativeResponses: candidate.nativeResponses,
    region: candidate.region,
  });

function fillCandidate(candidate: Candidate__Output, part: Candidate__Output): void {
  candidate.modelId = part.modelId;
  candidate.modelName = part.modelName;
  candidate.upstreamModel = part.upstreamModel;
  candidate.modelType = part.modelType;
  candidate.providerId = part.providerId;
  candidate.providerType = part.providerType;
  candidate.providerLabel = part.providerLabel;
  candidate.upstreamFormat = part.upstreamFormat;
  candidate.price = part.price;
  candidate.contextTokens = part.contextTokens;
  candidate.defaultMaxOutputTokens = part.defaultMaxOutputTokens;
  candidate.nativeResponses = part.nativeResponses;
  candidate.region = part.region;
}

const isSameLimit = (a: LimitState, b: LimitState): boolean =>
  a.limitId === b.limitId &&
  a.kind === b.kind &&
  a.metric === b.metric &&
  a.scopeType === b.scopeType &&
  a.scopeId === b.scopeId &&
  a.limit === b.limit &&
  a.mode === b.mode &&
  a.period === b.period &&
  a.windowSeconds === b.windowSeconds;

const ownLimit = (limit: LimitState, sharedId: number): LimitState =>
  defined({
    settled: limit.settled,
    held: limit.held,
    resetsAtMs: limit.resetsAtMs,
    remaining: limit.remaining,
    sharedId,
  });

const sharedLimit = (limit: LimitState): LimitState =>
  defined({
    limitId: limit.limitId,
    kind: limit.kind,
    metric: limit.metric,
    scopeType: limit.scopeType,
    scopeId: limit.scopeId,
    limit: limit.limit,
    mode: limit.mode,
    period: limit.period,
    windowSeconds: limit.windowSeconds,
  });

function fillLimit(limit: LimitState__Output, part: LimitState__Output): void {
  limit.limitId = part.limitId;
  limit.kind = part.kind;
  limit.metric = part.metric;
  limit.scopeType = part.scopeType;
  limit.scopeId = part.scopeId;
  limit.limit = part.limit;
  limit.mode = part.mode;
  limit.period = part.period;
  limit.windowSeconds = part.windowSeconds;
}
