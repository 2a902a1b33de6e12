import { REST_ERRORS, RestError, restError, type rest } from '@tollgate/contracts';
import { DeadlineError } from '@tollgate/kit';
import { QueryFailedError } from 'typeorm';
import { z } from 'zod';

import { conflict } from './field-errors';

/** Maps any thrown value to an answer of the error table. */

export interface Failure {
  readonly status: number;
  readonly body: rest.ErrorBody;
  /** A server fault, to be logged with its cause. */
  readonly fault: boolean;
}

const details = z.array(z.object({ path: z.string(), message: z.string() }));

export function failureOf(error: unknown): Failure {
  const known = refusalOf(error);
  const parsed = details.safeParse(known.details);
  return {
    status: known.status,
    body: {
      error: {
        code: known.code,
        message: known.message,
        details: parsed.success ? parsed.data : [],
      },
    },
    fault: REST_ERRORS[known.code].status >= 500,
  };
}

function refusalOf(error: unknown): RestError {
  if (error instanceof RestError) return error;
  if (error instanceof DeadlineError) return restError('dependency_unavailable');
  if (isUndecodablePath(error)) return restError('not_found');
  return parserRefusal(error) ?? databaseRefusal(error) ?? restError('internal_error');
}

/** Express's router throws this for `%` and `%ff` in a path, which is a 404. */
function isUndecodablePath(error: unknown): boolean {
  return error instanceof URIError && 'status' in error && error.status === 400;
}

const parserError = z.object({ type: z.string(), status: z.number() });

/** Errors of Express's body parser. */
function parserRefusal(error: unknown): RestError | undefined {
  const parsed = parserError.safeParse(error);
  if (!parsed.success || parsed.data.status >= 500) return undefined;
  if (parsed.data.type === 'entity.too.large') return restError('payload_too_large');
  return restError('malformed_request');
}

/** Unique constraints, and the field to name in the answer. */
const UNIQUE: Readonly<Record<string, string>> = {
  experiment_active_model_key: 'modelId',
  experiment_organisation_id_name_key: 'name',
  mcp_server_organisation_id_identifier_key: 'identifier',
  invoice_open_key: 'month',
  model_alias_organisation_id_name_key: 'name',
  model_organisation_id_name_key: 'name',
  organisation_invitation_open_key: 'email',
  organisation_slug_key: 'slug',
  price_model_id_effective_from_key: 'effectiveFrom',
  provider_organisation_id_name_key: 'name',
  routing_policy_organisation_id_name_key: 'name',
  screening_policy_organisation_id_identifier_key: 'identifier',
  screening_service_organisation_id_identifier_key: 'identifier',
  team_organisation_id_name_key: 'name',
  team_member_pkey: 'userId',
  usage_rerate_open_key: 'organisationId',
  usage_view_organisation_id_user_id_name_key: 'name',
  user_account_email_key: 'email',
};

const driverError = z.object({ code: z.string(), constraint: z.string().optional() });

/** SQLSTATEs of a server that is unavailable or overloaded. */
const AWAY =
  /^(08|53|57P|57014|40001|40P01|55P03|25P03)|^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN)$/;

function databaseRefusal(error: unknown): RestError | undefined {
  const cause = error instanceof QueryFailedError ? error.driverError : error;
  const parsed = driverError.safeParse(cause);
  if (!parsed.success) {
    // The pool and the driver report connection failures by message, without a code.
    return error instanceof Error &&
      /connection (terminated|timeout)|timeout exceeded/i.test(error.message)
      ? restError('dependency_unavailable')
      : undefined;
  }
  const { code, constraint = '' } = parsed.data;
  if (AWAY.test(code)) return restError('dependency_unavailable');
  if (code === '23505') return conflict(UNIQUE[constraint] ?? constraint, 'exists already');
  // A referenced row was deleted since it was looked up.
  if (code === '23503') return restError('conflict');
  return undefined;
}
