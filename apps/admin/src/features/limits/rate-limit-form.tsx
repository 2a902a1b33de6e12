'use client';

import { rest, type LimitMode } from '@tollgate/contracts';

import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { numberOrNull } from '../../resource/typed';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { ModeField } from './mode-field';
import {
  requireValueOf,
  ScopeField,
  scopeOf,
  StateFields,
  useFirstScope,
  type ScopeDraft,
} from './scope-field';
import { madeWords } from './trust-words';

interface RateLimitFormProps {
  /** The rate limit to edit; absent for a new one. */
  readonly rateLimitId?: string;
  readonly onClose: () => void;
}

export function RateLimitForm({ rateLimitId, onClose }: RateLimitFormProps) {
  const { id: organisationId } = useOrganisation();
  const scope = useFirstScope();
  if (rateLimitId === undefined) {
    return (
      <Window
        title="Create a rate limit"
        description="Set at least one limit. Empty fields do not limit anything."
        onClose={onClose}
      >
        <Fields initial={{ scope, ...DEFAULTS }} onClose={onClose} />
      </Window>
    );
  }
  const input = { params: { organisationId, rateLimitId } };
  return (
    <Window
      title="Edit rate limit"
      description="Empty fields do not limit anything."
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getRateLimit} input={input}>
        {({ value, etag }) => (
          <Fields
            initial={{
              ...value,
              requestsPerMinute: textOf(value.requestsPerMinute),
              tokensPerMinute: textOf(value.tokensPerMinute),
              concurrentRequests: textOf(value.concurrentRequests),
            }}
            known={{ rateLimitId, etag }}
            onClose={onClose}
          />
        )}
      </ReadForEditing>
    </Window>
  );
}

function textOf(bound: number | null): string {
  return bound === null ? '' : String(bound);
}

const BOUNDS = [
  { name: 'requestsPerMinute', label: 'Requests per minute' },
  { name: 'tokensPerMinute', label: 'Tokens per minute' },
  { name: 'concurrentRequests', label: 'Concurrent requests' },
] as const;

type Draft = Readonly<Record<(typeof BOUNDS)[number]['name'], string>> & {
  readonly scope: ScopeDraft;
  readonly requireValue: boolean;
  readonly mode: LimitMode;
  readonly status: rest.RateLimit['status'];
};

const DEFAULTS = {
  requestsPerMinute: '',
  tokensPerMinute: '',
  concurrentRequests: '',
  mode: 'HARD',
  status: 'ACTIVE',
  requireValue: false,
} as const;

interface FieldsProps {
  readonly initial: Draft;
  readonly known?: { readonly rateLimitId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
}

function Fields({ initial, known, onClose }: FieldsProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave({
    initial,
    known,
    stale: [rest.listRateLimits.id, rest.getRateLimit.id],
    send: ({ scope, requireValue, mode, status, ...bounds }: Draft, call) => {
      const body = {
        requestsPerMinute: numberOrNull(bounds.requestsPerMinute),
        tokensPerMinute: numberOrNull(bounds.tokensPerMinute),
        concurrentRequests: numberOrNull(bounds.concurrentRequests),
        mode,
        status,
        ...requireValueOf({ scope, requireValue }),
      };
      if (known === undefined) {
        return call(rest.createRateLimit, {
          params: { organisationId },
          body: { scope: scopeOf(scope), ...body },
        });
      }
      const { rateLimitId } = known;
      return call(rest.updateRateLimit, {
        params: { organisationId, rateLimitId },
        body,
      });
    },
    made: (limit) => madeWords('Rate limit', limit),
    onClose,
  });
  const { draft, change, error, field } = form;
  return (
    <FormBody
      form={form}
      fields={['scope', 'mode', 'status', ...BOUNDS.map(({ name }) => name)]}
      submit={known === undefined ? 'Create rate limit' : 'Save'}
      onClose={onClose}
    >
      {known === undefined && (
        <ScopeField scope={draft.scope} error={error} onChange={(scope) => change({ scope })} />
      )}
      {BOUNDS.map(({ name, label }) => (
        <TextField key={name} label={label} optional {...field(name)} inputMode="numeric" />
      ))}
      <ModeField {...field('mode')} />
      <StateFields draft={draft} change={change} />
    </FormBody>
  );
}
