'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import type { ApiError } from '../../api/rest-client';
import { ErrorText } from '../../design/error-text';
import { Failure } from '../../design/failure';
import { fieldError } from '../../design/field-error';
import { SkeletonRows } from '../../design/skeleton';
import { FormBody } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { useOrganisation, useScope } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import {
  grantsDraftOf,
  grantsOfDraft,
  withRules,
  withServers,
  type GrantDraft,
} from './grants-draft';
import { rulesOfDraft, rulesWords, type RulesDraft } from './rules-draft';
import { RulesFields } from './rules-fields';

/** Endpoints whose cached answers a change of grants outdates. */
export const STALE_GRANTS = [
  rest.listMcpServers.id,
  rest.getApiKeyMcpServers.id,
  rest.listApiKeys.id,
  rest.getApiKey.id,
];

interface KeyGrantsProps {
  readonly apiKeyId: string;
  readonly initial: readonly rest.McpGrant[];
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

/** The form of a key's grants: the servers, and the rules of each. */
export function KeyGrants({ apiKeyId, initial, etag, onClose }: KeyGrantsProps) {
  const { id: organisationId } = useOrganisation();
  const { me } = useScope();
  const ownRulesOf = useOwnRules();
  const form = useSave({
    initial: { grants: grantsDraftOf(initial) },
    known: { etag },
    stale: STALE_GRANTS,
    send: ({ grants }, call) =>
      call(rest.setApiKeyMcpServers, {
        params: { organisationId, apiKeyId },
        body: { grants: grantsOfDraft(grants) },
      }),
    onClose,
  });
  const { grants } = form.draft;
  if (ownRulesOf === undefined) return <SkeletonRows label="Loading the rules of your keys" />;
  // Errors of all grants together. A grant shows its own errors.
  const whole = form.error?.details.find(({ path }) => path === 'grants')?.message;
  return (
    <FormBody form={form} fields={['grants']} submit="Save" onClose={onClose}>
      <ListPicker
        of="mcpServers"
        legend="MCP servers"
        {...(me.role === 'USER'
          ? {
              hint: 'You may grant the servers of your own keys, and no more of them than you may use.',
            }
          : {})}
        error={whole}
        chosen={grants.map(({ mcpServerId }) => mcpServerId)}
        onChange={(chosen) => form.change({ grants: withServers(grants, chosen, ownRulesOf) })}
      />
      {grants.map((grant, index) => (
        <GrantRules
          key={grant.mcpServerId}
          grant={grant}
          error={form.error}
          at={`grants[${String(index)}].`}
          onChange={(rules) => form.change({ grants: withRules(grants, grant.mcpServerId, rules) })}
        />
      ))}
    </FormBody>
  );
}

/**
 * The rules of a user's own grant of a server: a new grant begins with them, because wider ones are
 * refused. Administrators and managers may grant everything.
 */
function useOwnRules(): ((mcpServerId: string) => rest.McpRules | undefined) | undefined {
  const { id: organisationId } = useOrganisation();
  const { me } = useScope();
  const query = { status: 'ACTIVE', limit: rest.PAGE_LIMIT } as const;
  const { data, isPending } = useRead(
    rest.listApiKeys,
    { params: { organisationId }, query },
    { enabled: me.role === 'USER' },
  );
  // A server that is chosen before would get wider rules, which are refused.
  if (me.role === 'USER' && isPending) return undefined;
  const own = data?.data.flatMap((key) => key.mcpGrants) ?? [];
  return (mcpServerId) => own.find((grant) => grant.mcpServerId === mcpServerId);
}

interface GrantRulesProps {
  readonly grant: GrantDraft;
  readonly error: ApiError | undefined;
  readonly at: string;
  readonly onChange: (rules: RulesDraft) => void;
}

/** The rules of one grant. Opens when one has an error. */
function GrantRules({ grant: { mcpServerId, rules }, error, at, onChange }: GrantRulesProps) {
  const { id: organisationId } = useOrganisation();
  const read = useRead(rest.getMcpServer, { params: { organisationId, mcpServerId } });
  const faulty = error?.details.some(({ path }) => path.startsWith(at)) === true;
  const own = fieldError(error, `${at}mcpServerId`);
  const words = rulesWords(rulesOfDraft(rules)).join('; ');
  return (
    <details open={faulty || undefined} className="rounded-md border px-3 py-2">
      <summary className="break-words">
        <span className="font-medium">{read.data?.name ?? 'MCP server'}</span>{' '}
        <span className="text-sm text-ink-soft">{words}</span>
      </summary>
      <div className="mt-3 flex flex-col gap-4">
        <ErrorText>{own}</ErrorText>
        {read.error !== null && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data !== undefined && (
          <RulesFields
            server={read.data}
            rules={rules}
            ofGrant
            error={error}
            at={at}
            onChange={onChange}
          />
        )}
      </div>
    </details>
  );
}
