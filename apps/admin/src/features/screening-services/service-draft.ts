import type { rest } from '@tollgate/contracts';
import type { z } from 'zod';

import { headersOf, headersText, linesOf, numberOrNull } from '../../resource/typed';

// The draft of a screening service: form state and request body. Pure.

type Protocol = rest.ScreeningProtocol;
type ProtocolBody = z.input<typeof rest.screeningProtocol>;
type AuthBody = z.input<typeof rest.screeningAuth>;

export interface ServiceDraft {
  readonly name: string;
  readonly identifier: string;
  readonly url: string;
  /** Empty: none. */
  readonly region: string;
  readonly protocol: Protocol['type'];
  /** Of TOLLGATE_GRPC. */
  readonly streams: boolean;
  /** Of PRESIDIO. */
  readonly language: string;
  readonly scoreThreshold: string;
  /** One per line; empty: all. */
  readonly entities: string;
  /** Of OPENAI_MODERATION and CHAT_JUDGE. */
  readonly model: string;
  /** One "category: score" a line; empty: what the service flags. */
  readonly thresholds: string;
  /** Of GENERIC_GUARDRAIL: one "name: value" a line. */
  readonly parameters: string;
  /** Of CHAT_JUDGE. */
  readonly instructions: string;
  readonly maxOutputTokens: string;
  /** Of JAVASCRIPT. */
  readonly code: string;
  readonly authType: rest.ScreeningAuth['type'];
  readonly header: string;
  readonly template: string;
  /** Empty: no secret, or the current one. */
  readonly secret: string;
}

export const EXAMPLE_CODE = `// Gets { texts: [{ id, place, role, text }], parameters }.
// Returns { verdict: 'PASS' or 'BLOCK', message, findings: [{ textId, start, end, label }] }.
function check({ texts }) {
  const found = texts.find(({ text }) => text.includes('project x'));
  return found ? { verdict: 'BLOCK', message: 'Not about project x.' } : { verdict: 'PASS' };
}
`;

export const NEW_SERVICE: ServiceDraft = {
  name: '',
  identifier: '',
  url: '',
  region: '',
  protocol: 'TOLLGATE_HTTP',
  streams: false,
  language: 'en',
  scoreThreshold: '0.5',
  entities: '',
  model: '',
  thresholds: '',
  parameters: '',
  instructions: '',
  maxOutputTokens: '512',
  code: EXAMPLE_CODE,
  authType: 'NONE',
  header: '',
  template: '{{secret}}',
  secret: '',
};

export function serviceDraftOf(service: rest.ScreeningService): ServiceDraft {
  const { auth, identifier, name, protocol, region, url } = service;
  const draft = {
    ...NEW_SERVICE,
    name,
    identifier,
    url: url ?? '',
    region: region ?? '',
    protocol: protocol.type,
  };
  const common = {
    ...draft,
    authType: auth.type,
    ...(auth.type === 'HEADER' ? headerOf(auth) : {}),
  };
  switch (protocol.type) {
    case 'TOLLGATE_GRPC':
      return { ...common, streams: protocol.streams };
    case 'PRESIDIO':
      return {
        ...common,
        language: protocol.language,
        scoreThreshold: String(protocol.scoreThreshold),
        entities: (protocol.entities ?? []).join('\n'),
      };
    case 'OPENAI_MODERATION':
      return {
        ...common,
        model: protocol.model,
        thresholds: headersText(texts(protocol.thresholds ?? {})),
      };
    case 'GENERIC_GUARDRAIL':
      return { ...common, parameters: headersText(texts(protocol.parameters)) };
    case 'CHAT_JUDGE': {
      const { instructions, maxOutputTokens, model } = protocol;
      return { ...common, instructions, model, maxOutputTokens: String(maxOutputTokens) };
    }
    case 'JAVASCRIPT':
      return { ...common, code: protocol.code };
    default:
      return common;
  }
}

function headerOf({ header, template }: Extract<rest.ScreeningAuth, { type: 'HEADER' }>) {
  return { header, template };
}

function texts(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]));
}

export function serviceBodyOf(draft: ServiceDraft): z.input<typeof rest.screeningServiceCreate> {
  const { identifier, protocol, secret } = draft;
  const sent = secret !== '' && protocol !== 'JAVASCRIPT';
  return { identifier, ...settingsOf(draft), ...(sent ? { secret } : {}) };
}

export function servicePatchOf(
  draft: ServiceDraft,
  known: rest.ScreeningService,
): z.input<typeof rest.screeningServicePatch> {
  const { authType, secret } = draft;
  const dropped = authType === 'NONE' && known.secretPreview !== null;
  return {
    ...settingsOf(draft),
    ...(secret === '' ? {} : { secret }),
    ...(dropped ? { secret: null } : {}),
  };
}

function settingsOf(draft: ServiceDraft) {
  const { name, protocol, region, url } = draft;
  const common = { name, protocol: protocolOf(draft) };
  if (protocol === 'JAVASCRIPT') return common;
  return { ...common, url: url.trim(), region: region.trim() || null, auth: authOf(draft) };
}

function authOf({ authType: type, header, template }: ServiceDraft): AuthBody {
  return type === 'HEADER' ? { type, header: header.trim(), template } : { type };
}

/** Values typed for another protocol are dropped. */
function protocolOf(draft: ServiceDraft): ProtocolBody {
  const type = draft.protocol;
  const model = draft.model.trim();
  switch (type) {
    case 'TOLLGATE_HTTP':
      return { type };
    case 'TOLLGATE_GRPC':
      return { type, streams: draft.streams };
    case 'JAVASCRIPT':
      return { type, code: draft.code };
    case 'PRESIDIO': {
      const entities = linesOf(draft.entities);
      return {
        type,
        language: draft.language.trim(),
        scoreThreshold: decimal(draft.scoreThreshold),
        entities: entities.length === 0 ? null : entities,
      };
    }
    case 'OPENAI_MODERATION': {
      const typed = Object.entries(headersOf(draft.thresholds));
      const thresholds = Object.fromEntries(typed.map(([name, score]) => [name, decimal(score)]));
      return {
        type,
        ...(model === '' ? {} : { model }),
        thresholds: typed.length === 0 ? null : thresholds,
      };
    }
    case 'GENERIC_GUARDRAIL':
      return { type, parameters: mapped(headersOf(draft.parameters)) };
    case 'CHAT_JUDGE': {
      const maxOutputTokens = numberOrNull(draft.maxOutputTokens) ?? undefined;
      return { type, model, instructions: draft.instructions, maxOutputTokens };
    }
  }
}

/** Text that is no number is NaN, which is never sent: the call fails with an error at its field. */
function decimal(typed: string): number {
  return /^\d+(?:\.\d+)?$/.test(typed.trim()) ? Number(typed) : Number.NaN;
}

/** Numbers and switches are sent as such. */
function mapped(parameters: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]): [string, string | number | boolean] => {
      if (value === 'true' || value === 'false') return [name, value === 'true'];
      const number = decimal(value);
      return [name, Number.isNaN(number) ? value : number];
    }),
  );
}
