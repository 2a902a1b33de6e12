import { isOneOf, rest, SCREENING_ACTIONS } from '@tollgate/contracts';

import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { firstIdAt, lastIdBefore } from '../../rest/record-ids';
import { findPolicy } from './screening-policies';

const DAY_MS = 86_400_000;

/** By rule and action; of one key, team or version, or, where none is set, of all. */
interface HitsRow {
  rule_id: string;
  action: string;
  of: 'ALL' | 'KEY' | 'TEAM' | 'VERSION';
  version: number | null;
  owner_id: string | null;
  name: string | null;
  requests: string;
  failed: string;
}

/** Counts by what records say: `policy/rule;v=…;in=…;action=…;hits=…;failed=…`, separated by commas. */
const SQL = `
  WITH found AS MATERIALIZED (
    SELECT id, api_key_id, team_id, screening FROM usage_record
    WHERE organisation_id = $1 AND authorised_at >= $2 AND authorised_at < $3
      AND id >= $4 AND id < $5 AND screening IS NOT NULL
    ORDER BY authorised_at DESC, id DESC LIMIT $6
  ), entries AS (
    SELECT f.id, f.api_key_id, f.team_id, e[1] AS rule_id,
      upper(substring(e[2] FROM 'action=([a-z]+)')) AS action,
      substring(e[2] FROM ';v=([0-9]{1,9})')::integer AS version,
      bool_or(e[2] ~ ';hits=') AS hit, bool_or(e[2] ~ ';failed=') AS failed
    FROM found f, regexp_matches(f.screening, $7, 'g') AS e
    GROUP BY f.id, f.api_key_id, f.team_id, rule_id, action, version
  ), counted AS (
    SELECT rule_id, action, api_key_id, team_id, version,
      CASE WHEN GROUPING(version) = 0 THEN 'VERSION'
        WHEN GROUPING(api_key_id) = 0 THEN 'KEY'
        WHEN GROUPING(team_id) = 0 THEN 'TEAM' ELSE 'ALL' END AS of,
      count(*) FILTER (WHERE hit) AS requests, count(*) FILTER (WHERE failed) AS failed
    FROM entries
    WHERE $9::integer IS NULL OR version = $9
    GROUP BY GROUPING SETS (
      (rule_id, action), (rule_id, action, api_key_id), (rule_id, action, team_id), (rule_id, action, version))
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY rule_id, action, of ORDER BY version DESC, requests DESC, api_key_id, team_id) AS place
    FROM counted
  )
  SELECT r.rule_id, r.action, r.of, r.version, coalesce(r.api_key_id, r.team_id) AS owner_id,
    coalesce(k.name, t.name) AS name, r.requests, r.failed
  FROM ranked r
    LEFT JOIN api_key k ON r.of = 'KEY' AND k.id = r.api_key_id
    LEFT JOIN team t ON r.of = 'TEAM' AND t.id = r.team_id
  WHERE r.place <= CASE WHEN r.of = 'VERSION' THEN $10::integer ELSE $8::integer END
  ORDER BY r.rule_id, r.action, r.of, r.place`;

export async function getHits(
  call: Call<typeof rest.getScreeningHits>,
): Promise<rest.ScreeningHits> {
  const { db, nowMs, organisation, params, query } = call;
  const { identifier } = await findPolicy(call, params.screeningPolicyId);
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DAY_MS : Date.parse(query.from);
  if (fromMs >= toMs) throw invalid('from', 'must be before `to`');
  if (toMs - fromMs > rest.SCREENING_HITS_DAYS * DAY_MS) {
    throw invalid('from', `at most ${rest.SCREENING_HITS_DAYS} days before \`to\``);
  }
  const [from, to] = [new Date(fromMs), new Date(toMs)];
  const ids = [firstIdAt(fromMs), lastIdBefore(toMs)];
  const most = rest.SCREENING_HITS_RECORDS;
  const [all] = await db.query<{ found: string; cut: boolean }[]>(
    `SELECT count(*) AS found, coalesce(bool_or(screening LIKE '%, more;rules=%'), false) AS cut
      FROM (SELECT screening FROM usage_record
        WHERE organisation_id = $1 AND authorised_at >= $2 AND authorised_at < $3
          AND id >= $4 AND id < $5 AND screening IS NOT NULL LIMIT $6) AS matching`,
    [organisation.id, from, to, ...ids, most + 1],
  );
  const rows = await db.query<HitsRow[]>(SQL, [
    organisation.id,
    from,
    to,
    ...ids,
    most,
    `(?:^|, )${identifier}/([a-z0-9-]+)(;[^,]*)`,
    rest.SCREENING_HITS_TOP,
    query.version ?? null,
    rest.SCREENING_HITS_VERSIONS,
  ]);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    complete: Number(all?.found ?? 0) <= most && all?.cut !== true,
    rules: rulesOf(rows),
  };
}

function rulesOf(rows: readonly HitsRow[]): rest.ScreeningHits['rules'] {
  return rows.flatMap((row) => {
    const { action, of, rule_id: ruleId } = row;
    if (of !== 'ALL' || !isOneOf(SCREENING_ACTIONS, action)) return [];
    const owners = (wanted: HitsRow['of']) =>
      rows
        .filter((one) => one.of === wanted && one.rule_id === ruleId && one.action === action)
        .filter(({ requests }) => Number(requests) > 0)
        .map(({ name, owner_id: ownerId, requests }) => ({
          id: ownerId,
          name,
          requests: Number(requests),
        }));
    return [
      {
        ruleId,
        action,
        requests: Number(row.requests),
        failed: Number(row.failed),
        versions: rows.flatMap((one) =>
          one.of === 'VERSION' && one.rule_id === ruleId && one.action === action
            ? [
                {
                  version: one.version ?? 0,
                  requests: Number(one.requests),
                  failed: Number(one.failed),
                },
              ]
            : [],
        ),
        apiKeys: owners('KEY'),
        teams: owners('TEAM'),
      },
    ];
  });
}
