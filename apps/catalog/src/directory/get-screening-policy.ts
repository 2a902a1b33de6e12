import type { rest } from '@tollgate/contracts';
import type { ScreeningPolicy, ScreeningService } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { sealedSecret, type SealedColumns } from './sealed-secret';

interface PolicyRow {
  organisation_id: string;
  identifier: string;
  /** JSON text. */
  rules: string;
  /** Identifiers of the services that the rules ask. */
  services: string[];
}

interface ServiceRow extends SealedColumns {
  id: string;
  identifier: string;
  url: string | null;
  /** JSON text. */
  protocol: string;
  auth: rest.ScreeningAuth;
  api_key_id: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The rules of one version, with the services that they ask; undefined: there is none. */
export async function getScreeningPolicy(
  pool: Pool,
  policyId: string,
  version: number,
): Promise<ScreeningPolicy | undefined> {
  if (!UUID.test(policyId)) return undefined;
  const { rows } = await pool.query<PolicyRow>({
    name: 'directory-get-screening-policy',
    text: `SELECT p.organisation_id, p.identifier, v.rules::text AS rules,
        ARRAY(SELECT rule ->> 'service' FROM jsonb_array_elements(v.rules) AS rule
          WHERE rule ->> 'service' IS NOT NULL) AS services
      FROM screening_policy_version v JOIN screening_policy p ON p.id = v.policy_id
      WHERE v.policy_id = $1 AND v.version = $2`,
    values: [policyId, version],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { identifier, organisation_id: organisationId, rules: rulesJson } = row;
  const policy = { policyId, version, organisationId, identifier, rulesJson };
  if (row.services.length === 0) return policy;
  const known = await servicesOf(pool, organisationId);
  return {
    ...policy,
    services: known.filter((one) => row.services.includes(one.identifier)).map(serviceMessage),
    serviceKeyIds: known.flatMap(({ api_key_id: keyId }) => (keyId === null ? [] : [keyId])),
  };
}

async function servicesOf(pool: Pool, organisationId: string): Promise<ServiceRow[]> {
  const { rows } = await pool.query<ServiceRow>({
    name: 'directory-get-screening-services',
    text: `SELECT s.id, s.identifier, s.url, s.protocol::text AS protocol, s.auth, s.api_key_id,
        s.secret_key_id, s.secret_nonce, s.secret_ciphertext, s.secret_tag
      FROM screening_service s WHERE s.organisation_id = $1`,
    values: [organisationId],
  });
  return rows;
}

function serviceMessage(row: ServiceRow): ScreeningService {
  const { auth, id: serviceId, identifier, protocol: protocolJson, url } = row;
  return {
    serviceId,
    identifier,
    url: url ?? '',
    protocolJson,
    auth: auth.type === 'HEADER' ? auth : { type: auth.type },
    secret: sealedSecret(row),
  };
}
