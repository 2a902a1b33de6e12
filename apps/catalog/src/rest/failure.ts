import { REST_ERRORS, RestError, restError, type rest } from '@tollgate/contracts';
import { DeadlineError } from '@tollgate/kit';
import { QueryFailedError } from 'typeorm';
import { z } from 'zod';
import { conflict } from './refusals';

/** Turns whatever was thrown into an answer of the error table. */

export type Failure = {
  readonly status: number;
  readonly body: rest.ErrorBody;
  /** Not the caller's doing: to be logged with its cause. */
  readonly fault: boolean;
};

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

/** What Express's router throws about `%` and `%ff` in a path: such a path names nothing. */
function isUndecodablePath(error: unknown): boolean {
  return error instanceof URIError && 'status' in error && error.status === 400;
}

const parserError = z.object({ type: z.string(), status: z.number() });

/** What Express's body parser throws. */
function parserRefusal(error: unknown): RestError | undefined {
  const parsed = parserError.safeParse(error);
  if (!parsed.success || parsed.data.status >= 500) return undefined;
  if (parsed.data.type === 'entity.too.large') return restError('payload_too_large');
  return restError('malformed_request');
}

/** Unique names, by their constraint: the field to name in the answer. */
const UNIQUE: Readonly<Record<string, string>> = {
  mcp_server_organisation_id_identifier_key: 'identifier',
  invoice_open_key: 'month',
  model_organisation_id_name_key: 'name',
  organisation_invitation_open_key: 'email',
  organisation_slug_key: 'slug',
  price_model_id_effective_from_key: 'effectiveFrom',
  provider_organisation_id_name_key: 'name',
  team_organisation_id_name_key: 'name',
  team_member_pkey: 'userId',
  usage_rerate_open_key: 'organisationId',
  user_account_email_key: 'email',
};

const driverError = z.object({ code: z.string(), constraint: z.string().optional() });

/** Codes that mean the server cannot be used now, or gave up on a statement under load. */
const AWAY =
  /^(08|53|57P|57014|40001|40P01|55P03|25P03)|^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN)$/;

function databaseRefusal(error: unknown): RestError | undefined {
  const cause = error instanceof QueryFailedError ? error.driverError : error;
  const parsed = driverError.safeParse(cause);
  if (!parsed.success) {
    // The pool and the driver give these words and no code when the connection itself fails.
    return error instanceof Error &&
      /connection (terminated|timeout)|timeout exceeded/i.test(error.message)
      ? restError('dependency_unavailable')
      : undefined;
  }
  const { code, constraint = '' } = parsed.data;
  if (AWAY.test(code)) return restError('dependency_unavailable');
  if (code === '23505') return conflict(UNIQUE[constraint] ?? constraint, 'exists already');
  // Something that was there when it was looked up has gone in the meantime.
  if (code === '23503') return restError('conflict');
  return undefined;
}
